import Cairn
import CairnStore
import Foundation

/// A reader of a few objects of an entity. If the engine can sort, they are the ones with the lowest keys.
struct EntitySampler {
    let snapshot: any StoreSnapshot
    let layouts: RowLayouts
    /// The number of objects to read for each entity.
    let count: Int

    /// A column of a sample.
    private enum Column {
        case value(Property, RowLayout.Slot)
        case members(Relationship)

        var name: String {
            switch self {
            case .value(let property, _): property.name
            case .members(let relationship): relationship.name
            }
        }

        /// The rank that orders columns: strings come first, because people recognize objects by them, and
        /// bytes last.
        var rank: Int {
            switch self {
            case .value(.attribute(let attribute), _):
                switch attribute.type {
                case .string: 0
                case .binary, .transformable: 5
                case .uri, .uuid, .composite: 2
                default: 1
                }
            case .value: 3
            case .members: 4
            }
        }
    }

    /// Returns a sample of an entity without its subentities. The sample itself says what could not be read.
    func sample(of entity: Entity) -> EntitySample {
        let columns = columns(of: entity)
        var sample = EntitySample(properties: columns.map(\.name))
        guard count > 0 else { return sample }
        var rows: [Row] = []
        do {
            try read(entity) { if $0.entity == entity.number { rows.append($0) } }
        } catch {
            sample.failure = PathAlias.shown(in: "\(error)")
        }
        do {
            var cells: [[EntitySample.Cell]] = rows.map { _ in [] }
            for column in columns {
                for (index, cell) in try self.cells(of: rows, in: column).enumerated() {
                    cells[index].append(cell)
                }
            }
            sample.objects = zip(rows, cells).map { row, cells in
                EntitySample.Object(name: row.id.shortName(in: layouts.model), cells: cells)
            }
        } catch {
            sample.failure = PathAlias.shown(in: "\(error)")
        }
        return sample
    }

    private func columns(of entity: Entity) -> [Column] {
        let layout = layouts.layout(of: entity)
        let values = zip(layout.properties, layout.slots).map { Column.value($0, $1) }
        let toManys = entity.relationships.filter { $0.isToMany && !$0.isTransient }
        let columns = values + toManys.map(Column.members)
        // Columns of the same rank keep the order of the properties.
        return columns.enumerated().sorted { ($0.1.rank, $0.0) < ($1.1.rank, $1.0) }.map(\.1)
    }

    private func cells(
        of rows: [Row], in column: Column
    ) throws(StoreError) -> [EntitySample.Cell] {
        switch column {
        case .value(let property, let slot): return rows.map { cell(of: $0, property, slot) }
        case .members(let relationship):
            let related = try snapshot.relatedIDs(relationship, of: rows.map(\.id))
            return rows.indices.map { .members(related.range(ofOwnerAt: $0).count) }
        }
    }

    /// Calls the body with each row, until a row is damaged.
    private func read(_ entity: Entity, _ body: (Row) -> Void) throws(StoreError) {
        var plan = FetchPlan(
            entity: entity, includesSubentities: false,
            sorts: [BoundSort(BoundPath(leaf: .object))], limit: count)
        var cursor = try snapshot.cursor(plan)
        if !cursor.completed.isComplete {
            // Do not sort here, because sorting would read all rows.
            plan.sorts = []
            plan.limit = nil
            cursor = try snapshot.cursor(plan)
        }
        var rest = count
        // Read the rows one by one, because a damaged row makes its whole batch fail.
        while rest > 0, let batch = try cursor.next(atMost: 1) {
            for row in batch.rows { body(row) }
            rest -= 1
        }
    }

    // MARK: Cells

    private func cell(
        of row: Row, _ property: Property, _ slot: RowLayout.Slot
    ) -> EntitySample.Cell {
        if row.isNull(slot) { return .missing }
        if slot.kind == .externalBinary, case .reference = row.externalBinary(slot) {
            return .word("in a file of its own")
        }
        switch row.value(slot) {
        case .null: return .unreadable("not a valid URL")
        case .boolean(let isTrue): return .word(isTrue ? "yes" : "no")
        case .string(let text): return Self.text(text)
        case .uri(let url): return Self.text(url.absoluteString)
        case .uuid(let id): return .word(id.uuidString)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            return .word(ISO8601Date.text(ofSeconds: seconds) ?? "\(seconds) s after 2001")
        case .binary(let data), .transformable(let data): return Self.bytes(data)
        case .objectID(let id):
            return .object(
                id.shortName(in: layouts.model),
                entity: layouts.model.entity(numbered: id.entity)?.name ?? "?")
        case .composite(let elements):
            let value = JSONValue(.composite(elements), model: layouts.model)
            return Self.text(value.plainText)
        case let number: return .number(number.description)
        }
    }

    private static func text(_ text: String) -> EntitySample.Cell {
        let (line, isWhole) = VisibleText.shortened(text, atMost: 80)
        return .text(line, count: isWhole ? nil : text.unicodeScalars.count)
    }

    private static func bytes(_ data: Data) -> EntitySample.Cell {
        let beginning = data.prefix(8).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined(separator: " ")
        return .bytes(
            count: data.count, beginning: beginning + (data.count > 8 ? " …" : ""),
            kind: kind(of: data))
    }

    /// Returns the kind of data that begins with the signature of a known format. Returns `nil` for other
    /// data.
    private static func kind(of data: Data) -> String? {
        let marks: [(kind: String, bytes: [UInt8])] = [
            ("PNG image", [0x89, 0x50, 0x4E, 0x47]), ("JPEG image", [0xFF, 0xD8, 0xFF]),
            ("GIF image", Array("GIF8".utf8)), ("PDF", Array("%PDF".utf8)),
            ("property list", Array("bplist".utf8)), ("XML", Array("<?xml".utf8)),
            ("gzip", [0x1F, 0x8B]), ("zip", [0x50, 0x4B, 0x03, 0x04]),
        ]
        return marks.first { data.starts(with: $0.bytes) }?.kind
    }
}

/// A few objects of an entity, ready for display.
struct EntitySample {
    /// The displayed value of a property of an object.
    enum Cell: Equatable {
        case missing
        /// A text, shortened to one line. If the text is longer than the line, `count` is its number of
        /// Unicode scalars.
        case text(String, count: Int?)
        case number(String)
        case word(String)
        /// The name of an object.
        case object(String, entity: String)
        /// The number of members of a to-many relationship.
        case members(Int)
        /// Bytes: their number, the first of them, and their kind if the first bytes show it.
        case bytes(count: Int, beginning: String, kind: String?)
        /// A value that cannot be read, with the reason.
        case unreadable(String)
    }

    struct Object {
        let name: String
        /// The cells, in the order of ``EntitySample/properties``.
        let cells: [Cell]
    }

    /// The names of the stored properties.
    var properties: [String] = []
    var objects: [Object] = []
    /// The reason that some objects could not be read. `nil` if all were read.
    var failure: String?
}

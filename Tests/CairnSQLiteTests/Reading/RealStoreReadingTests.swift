import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite(.enabled(if: Corpus.isThere)) struct `Reading the stores of the corpus` {
    @Test(arguments: Corpus.storePaths)
    func `returns every row and value that plain SQL returns`(_ path: String) throws {
        guard let store = try ReadStore(corpus: path) else { return }
        let snapshot = try store.snapshot()
        var problems: [String] = []
        var compared = 0

        for entity in store.model.entities {
            let plan = FetchPlan(entity: entity, includesSubentities: false)
            let batch = try snapshot.all(plan).batch
            // A store that was migrated in place may list an entity under its former name.
            let counts = Corpus.stores[path]?.counts ?? [:]
            let expected = counts[entity.name] ?? counts[entity.renamingIdentifier] ?? 0
            if batch.count != expected { problems.append("\(entity.name): \(batch.count) rows") }
            if try snapshot.count(plan) != expected { problems.append("\(entity.name): count") }
            for row in batch.rows {
                problems += try PlainRow(row, in: store).differences()
                compared += store.layouts.layout(of: entity).slots.count
            }
        }

        #expect(problems.prefix(5) == [])
        #expect(compared > 0 || (Corpus.stores[path]?.counts.values.allSatisfy { $0 == 0 } ?? true))
    }

    @Test(arguments: Corpus.storePaths)
    func `finds the members that the other side refers to`(_ path: String) throws {
        guard let store = try ReadStore(corpus: path) else { return }
        let snapshot = try store.snapshot()
        var problems: [String] = []

        for relationship in store.model.entities.flatMap(\.ownRelationships)
        where relationship.isToMany {
            guard let inverse = relationship.inverse else { continue }
            let owners = try snapshot.all(FetchPlan(entity: relationship.entity, output: .ids))
                .batch
            let members = try snapshot.relatedIDs(relationship, of: owners.ids)
            var pairs: Set<[ObjectID]> = []
            for (index, owner) in owners.ids.enumerated() {
                for member in members.members[members.range(ofOwnerAt: index)] {
                    pairs.insert([owner, member])
                }
            }
            let expected = try referringPairs(inverse, snapshot, store.layouts)
            if pairs != expected {
                problems.append("\(relationship.entity.name).\(relationship.name)")
            }
        }

        #expect(problems == [])
    }

    /// Returns pairs of owner and member as the inverse relationship stores them.
    private func referringPairs(
        _ inverse: Relationship, _ snapshot: SQLiteSnapshot, _ layouts: RowLayouts
    ) throws -> Set<[ObjectID]> {
        let batch = try snapshot.all(FetchPlan(entity: inverse.entity)).batch
        guard let index = inverse.rowSlot else {
            let related = try snapshot.relatedIDs(inverse, of: batch.ids)
            return Set(
                batch.ids.enumerated().flatMap { position, member in
                    related.members[related.range(ofOwnerAt: position)].map { [$0, member] }
                })
        }
        var pairs: Set<[ObjectID]> = []
        for row in batch.rows {
            guard let slot = layouts.layout(of: row.entity)?.slots[index], !row.isNull(slot) else {
                continue
            }
            let owner = row.objectID(slot)
            // A reference to a deleted row is not a member.
            if try !snapshot.rows(for: [owner]).isEmpty { pairs.insert([owner, row.id]) }
        }
        return pairs
    }

    @Test func `covers all stores that contain a model`() throws {
        let readable = try Corpus.storePaths.filter { try ReadStore(corpus: $0) != nil }

        // As many as there were when the test was written. More may have been added.
        #expect(readable.count >= 28)
    }
}

/// Compares a packed row with the columns that it was created from.
private struct PlainRow {
    private let row: Row
    private let store: ReadStore
    private let entity: EntitySchema
    private let statement: SQLiteStatement
    private let columnIndices: [String: Int]

    init(_ row: Row, in store: ReadStore) throws {
        self.row = row
        self.store = store
        entity = try #require(store.schema.map.schema(of: row.entity))
        statement = try store.plain.statement("SELECT * FROM \(entity.table.quoted) WHERE Z_PK = ?")
        try statement.bind(row.key, at: 1)
        try #require(try statement.step())
        let names = try store.plain.statement("SELECT name, cid FROM pragma_table_info(?)")
        try names.bind(entity.table.text, at: 1)
        var columnIndices: [String: Int] = [:]
        while try names.step() {
            columnIndices[(names.text(at: 0) ?? "").uppercased()] = Int(names.int64(at: 1))
        }
        self.columnIndices = columnIndices
    }

    func differences() throws -> [String] {
        defer { statement.reset() }
        var result: [String] = []
        if value("Z_ENT") != .integer(entity.storeNumber) { result.append("Z_ENT") }
        if value("Z_OPT") != .integer(row.version) { result.append("Z_OPT") }
        for column in entity.slots {
            if try !isEqual(column) { result.append(column.property.name) }
        }
        return result.map { "\(entity.entity.name)/\(row.key).\($0)" }
    }

    private func isEqual(_ column: SlotColumn) throws -> Bool {
        switch column.form {
        case .composite: return false
        case .toOne(let key, let entity, _):
            guard case .integer(let expected) = value(key.text) else {
                return row.isNull(column.slot)
            }
            let id = row.objectID(column.slot)
            guard id.key == expected else { return false }
            guard let entity, case .integer(let number) = value(entity.text) else { return true }
            return store.schema.map.storeNumber(of: id.entity) == number
        case .value(let name):
            guard case .attribute(let attribute) = column.property else { return false }
            let stored = value(name.text)
            let packed = row.value(column.slot)
            return column.slot.kind == .externalBinary
                ? isExternal(stored, column.slot) : Self.meaning(stored, attribute.type) == packed
        }
    }

    private func isExternal(_ stored: Value, _ slot: RowLayout.Slot) -> Bool {
        guard case .binary(let data) = stored else { return row.isNull(slot) }
        switch row.externalBinary(slot) {
        case .inline(let bytes): return data == Data([1]) + bytes
        case .reference(let reference): return data == Data([2]) + Data(reference.name.utf8) + [0]
        }
    }

    private func value(_ column: String) -> Value {
        guard let index = columnIndices[column.uppercased()] else {
            return .string("no column \(column)")
        }
        switch statement.type(at: index) {
        case .integer: return .integer(statement.int64(at: index))
        case .real: return .double(statement.double(at: index))
        case .text: return .string(statement.text(at: index) ?? "")
        case .blob: return .binary(statement.data(at: index) ?? Data())
        case .null: return .null
        }
    }

    /// Returns what a stored value means for an attribute of the given type.
    private static func meaning(_ stored: Value, _ type: AttributeType) -> Value {
        switch (stored, type) {
        case (.integer(let value), .boolean): .boolean(value == 1)
        case (.integer(let value), .double): .double(Double(value))
        case (.integer(let value), .float): .float(Float(value))
        case (.double(let value), .float): .float(Float(value))
        case (.integer(let value), .decimal): .decimal(Decimal(value))
        case (.double(let value), .decimal): .decimal(Decimal(string: "\(value)") ?? .nan)
        case (.integer(let value), .date):
            .date(Date(timeIntervalSinceReferenceDate: Double(value)))
        case (.double(let value), .date): .date(Date(timeIntervalSinceReferenceDate: value))
        case (.string(let text), .uri): URL(string: text).map(Value.uri) ?? .null
        case (.binary(let data), .uuid):
            data.count == 16
                ? .uuid(UUID(uuid: data.withUnsafeBytes { $0.load(as: uuid_t.self) })) : .null
        case (.binary(let data), .transformable): .transformable(data)
        default: stored
        }
    }
}

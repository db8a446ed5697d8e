import CairnModel
import CairnRows
import CairnTestSupport
import Testing

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

/// Compares a table that was loaded with all rows at once with a table that received them one at a time.
@Suite struct `A loaded row table` {
    private let schema: TableSchema
    private let layouts: RowLayouts
    private let model: ManagedObjectModel

    init() throws {
        model = try ManagedObjectModel([
            EntityDescription("Box", [.toMany("parts", "Part", inverse: "box")]),
            EntityDescription(
                "Part", [.attribute("name", .string), .toOne("box", "Box", inverse: "parts")]),
        ])
        layouts = RowLayouts(model)
        schema = try TableSchema(
            OpenRequest(location: .memory("table"), model: model, layouts: layouts))
    }

    private func entity(_ name: String) throws -> Entity {
        try #require(model.entity(named: name))
    }

    private func rows(
        of name: String, _ keys: some Sequence<Int64>, version: Int64 = 1, box: (Int64) -> Int64?
    ) throws -> RowBatch {
        let layout = layouts.layout(of: try entity(name))
        var writer = RowWriter(store: StoreNumber(rawValue: 7))
        for key in keys {
            writer.begin(layout, key: key, version: version)
            if let slot = layout.slot(named: "name") { try writer.set("part \(key)", at: slot) }
            if let slot = layout.slot(named: "box"), let box = box(key) {
                writer.set(key: box, entity: try entity("Box").number, at: slot)
            }
            writer.endRow()
        }
        return writer.takeBatch()
    }

    private func parts(in table: StoreTable) throws -> [[Int64]] {
        let relationship = try #require(try entity("Box").relationship(named: "parts"))
        return (1...20 as ClosedRange<Int64>).map { box in
            var keys: [Int64] = []
            table.forEachMember(of: relationship, owner: box) { row, _ in keys.append(row.key) }
            return keys
        }
    }

    @Test func `shows the same rows and members as one filled row by row`() throws {
        let boxes = try rows(of: "Box", 1...20) { _ in nil }
        let parts = try rows(of: "Part", 1...3000) { $0 % 7 == 0 ? nil : $0 * $0 % 20 + 1 }
        var (loaded, single) = (StoreTable(schema), StoreTable(schema))

        loaded.load(boxes, root: try entity("Box").number)
        loaded.load(parts, root: try entity("Part").number)
        for row in boxes.rows { single.set(row) }
        for row in parts.rows { single.set(row) }

        #expect(try self.parts(in: loaded) == self.parts(in: single))
        #expect(loaded.byteCount == single.byteCount)
        let part = try entity("Part")
        #expect(loaded.count(of: part.hierarchyNumbers) == 3000)
        #expect(loaded.highestKey(root: part.number) == 3000)
        #expect(loaded.row(root: part.number, key: 2999)?.key == 2999)
    }

    @Test func `can be loaded in several parts, and changed later`() throws {
        let part = try entity("Part").number
        var (table, single) = (StoreTable(schema), StoreTable(schema))

        for start in stride(from: 1, through: 2501, by: 500) as StrideThrough<Int64> {
            table.load(try rows(of: "Part", start..<start + 500) { $0 % 20 + 1 }, root: part)
        }
        for row in try rows(of: "Part", 1...3000, box: { $0 % 20 + 1 }).rows { single.set(row) }
        let copy = table
        for row in try rows(of: "Part", [1, 500, 501, 3001], version: 2, box: { _ in 1 }).rows {
            table.set(row)
        }
        table.removeRow(root: part, key: 1000)

        #expect(copy.count(of: part..<EntityNumber(part.rawValue + 1)) == 3000)
        #expect(copy.byteCount == single.byteCount)
        #expect(try self.parts(in: copy) == self.parts(in: single))
        for key in 1...3001 as ClosedRange<Int64> {
            let version: Int64? = key == 1000 ? nil : [1, 500, 501, 3001].contains(key) ? 2 : 1
            #expect(table.row(root: part, key: key)?.version == version)
            #expect(copy.row(root: part, key: key)?.version == (key > 3000 ? nil : 1))
        }
    }

    /// Indexes are created on demand, for any copy, before and after any change.
    @Test func `keeps its members correct in every copy during random changes`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let (box, part) = (try entity("Box").number, try entity("Part").number)
        var owners = Dictionary(
            uniqueKeysWithValues: (1...300 as ClosedRange<Int64>).map { ($0, $0 % 20 + 1) })
        var table = StoreTable(schema)
        table.load(try rows(of: "Box", 1...20) { _ in nil }, root: box)
        table.load(try rows(of: "Part", 1...300) { owners[$0] }, root: part)
        var copies = [(table, owners)]

        for _ in 0..<200 {
            let key = Int64.random(in: 1...320, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                table.removeRow(root: part, key: key)
                owners[key] = nil
            case 1: (table, owners) = copies.randomElement(using: &random) ?? (table, owners)
            case 2: copies.append((table, owners))
            case 3: _ = try parts(in: copies[Int.random(in: 0..<copies.count, using: &random)].0)
            default:
                let new = Int64.random(in: 1...20, using: &random)
                owners[key] = new
                for row in try rows(of: "Part", [key], version: 2, box: { _ in new }).rows {
                    table.set(row)
                }
            }
        }

        for (table, owners) in copies + [(table, owners)] {
            let expected = (1...20 as ClosedRange<Int64>).map { box in
                owners.filter { $0.value == box }.keys.sorted()
            }
            #expect(try parts(in: table) == expected, "seed \(seed)")
        }
    }
}

import CairnModel
import CairnRows
import CairnTestSupport
import Testing

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

@Suite struct `Store table` {
    private let layouts: RowLayouts
    private let store = StoreNumber(rawValue: 7)

    init() throws {
        layouts = RowLayouts(
            try ManagedObjectModel([EntityDescription("Thing", [.attribute("text", .string)])]))
    }

    private func schema() throws -> TableSchema {
        try TableSchema(
            OpenRequest(location: .memory("table"), model: layouts.model, layouts: layouts))
    }

    private func write(
        _ keys: some Sequence<Int64>, version: Int64, to writer: inout RowWriter
    ) throws -> RowBatch {
        let layout = try #require(layouts.layout(of: EntityNumber(1)))
        for key in keys {
            writer.begin(layout, key: key, version: version)
            try writer.set(String(repeating: "x", count: 500), at: layout.slots[0])
            writer.endRow()
        }
        return writer.takeBatch()
    }

    @Test func `moves rows out of sparsely used slabs without changing them`() throws {
        var writer = RowWriter(store: store)
        var table = StoreTable(try schema())
        for row in try write(1...2000, version: 1, to: &writer).rows { table.set(row) }
        let before = table
        let updated = (1...2000 as ClosedRange<Int64>).filter { $0 % 10 != 0 }
        for row in try write(updated, version: 2, to: &writer).rows { table.set(row) }

        var moved: [Int64] = []
        table.compact { rows in
            moved = rows.map(\.key)
            for row in rows { writer.append(copyOf: row) }
            return writer.takeBatch()
        }

        #expect(moved.count > 100)
        #expect(moved.allSatisfy { $0 % 10 == 0 })
        let root = EntityNumber(1)
        for key in 1...2000 as ClosedRange<Int64> {
            #expect(table.row(root: root, key: key)?.version == (key % 10 == 0 ? 1 : 2))
            #expect(before.row(root: root, key: key)?.version == 1)
        }
        let old = try #require(before.row(root: root, key: 10))
        let new = try #require(table.row(root: root, key: 10))
        #expect(Row.hasSameBytes(old, new))
        #expect(!Row.hasSameAddress(old, new))
    }

    @Test func `moves nothing while slabs are used`() throws {
        var writer = RowWriter(store: store)
        var table = StoreTable(try schema())
        for row in try write(1...2000, version: 1, to: &writer).rows { table.set(row) }
        for row in try write(1...400, version: 2, to: &writer).rows { table.set(row) }
        // The first slabs are now empty. At most one slab, between old and new rows, is half used.
        var moved = 0

        table.compact { rows in
            moved = rows.count
            for row in rows { writer.append(copyOf: row) }
            return writer.takeBatch()
        }

        #expect(moved < 250)
        #expect(table.count(of: EntityNumber(1)..<EntityNumber(2)) == 2000)
        #expect(table.highestKey(root: EntityNumber(1)) == 2000)
    }

    /// Slabs are constantly freed here, and new slabs reuse their numbers.
    @Test func `shows the right rows in every copy while slabs are added and removed`() throws {
        let seed = SeededRandom.seed(of: "rows of many slabs")
        var random = SeededRandom(seed: seed)
        let root = EntityNumber(1)
        var table = StoreTable(try schema())
        var versions: [Int64: Int64] = [:]
        var copies: [(StoreTable, [Int64: Int64])] = []

        for step in 1...300 as ClosedRange<Int64> {
            let keys = (0..<4).map { _ in Int64.random(in: 1...40, using: &random) }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                for key in keys {
                    table.removeRow(root: root, key: key)
                    versions[key] = nil
                }
            case 1: copies.append((table, versions))
            default:
                // The rows get a new slab of their own.
                var writer = RowWriter(store: store)
                for row in try write(Set(keys).sorted(), version: step, to: &writer).rows {
                    table.set(row)
                    versions[row.key] = step
                }
            }
        }

        for (table, versions) in copies + [(table, versions)] {
            let rows = table.rows(root: root)
            var (position, found) = (rows.start, [Int64: Int64]())
            while let (key, row) = rows.next(&position) { found[key] = row.version }
            #expect(found == versions, "seed \(seed)")
            #expect(table.count(of: root..<EntityNumber(2)) == versions.count)
            for key in 1...40 as ClosedRange<Int64> {
                #expect(table.row(root: root, key: key)?.key == versions[key].map { _ in key })
            }
        }
    }
}

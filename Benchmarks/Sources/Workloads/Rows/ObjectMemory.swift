import Baselines
import BenchmarkKit
import Cairn
import GRDB

/// Row F.
struct ObjectMemory: Workload {
    let name = "F"
    let title = "bytes of memory for each object"
    let about = About(
        goal: "realised ≤ 285, lazy ≤ 215, fault ≤ 80",
        heldFixed: """
            all items, held by an array; what malloc has given out, before and after, everything \
            that the fetch left behind included; the row caches of earlier rounds are warm
            """,
        varied: """
            realised objects, rows without objects, faults; GRDB's structs and generic rows; plain \
            Swift objects
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let realised = try setting.ours("Cairn, realised", goal: .bytes(285)) { context in
            try Self.measure { try context.allItems() }
        }
        let lazy = try setting.ours("Cairn, lazy", goal: .bytes(215)) { context in
            try Self.measure { () -> FetchResults<Item> in
                try context.fetch(FetchRequest<Item>())
            }
        }
        let faults = try setting.ours("Cairn, faults", goal: .bytes(80)) { context in
            var request = FetchRequest<Item>()
            request.returnsObjectsAsFaults = true
            return try Self.measure { () -> [Item] in try context.fetch(request) }
        }
        let values = setting.shelf.values(setting.size)
        let plain = Contender("plain objects", .control) {
            try Self.measure { PlainItem.all(values) }
        }
        return .contests([
            Contest(
                unit: "object", [realised, lazy, faults] + (try peers(setting)) + [plain])
        ])
    }

    private func peers(_ setting: Setting) throws -> [Contender] {
        guard setting.isSQLite else { return [] }
        let peer = try setting.grdbItems()
        return [
            Contender("GRDB, structs", .peer) {
                try peer.pool.read { database in
                    try Self.measure { try HandWrittenItem.fetchAll(database, sql: Self.sql) }
                }
            },
            Contender("GRDB, Row", .peer) {
                try peer.pool.read { database in
                    try Self.measure { try Row.fetchAll(database, sql: Self.sql) }
                }
            },
        ]
    }

    private static let sql = "SELECT \(HandWrittenItem.columns) FROM item ORDER BY id"

    /// The checksum is how many there are: reading the values would add to the memory.
    private static func measure<Objects: Collection>(
        _ body: () throws -> Objects
    ) throws -> Sample {
        let before = bl_heap_bytes()
        var watch = Stopwatch()
        let objects = try watch.time(body)
        let after = bl_heap_bytes()
        let count = objects.count
        let bytes = Double(after) - Double(before)
        return Sample(
            watch, operations: count, checksum: UInt64(count),
            bytesPerObject: max(0, bytes) / Double(max(1, count)))
    }
}

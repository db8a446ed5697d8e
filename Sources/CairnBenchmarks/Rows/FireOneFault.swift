import BenchmarkKit
import Cairn
import GRDB

/// Row G.
struct FireOneFault: Workload {
    let name = "G"
    let title = "fire one fault, its row not cached"
    let about = About(
        goal: "SQLite ≤ 1.0, LMDB ≤ 1.8, InMemory ≤ 1.3 of reading a row by its key",
        heldFixed: "2,000 items whose keys jump about, one after the other, from a warm page cache",
        varied: """
            C steps a prepared statement in one read transaction; Cairn reads an attribute of a \
            fault, every time a read of its own; GRDB fetches a record, by prepared statement or \
            by key
            """,
        rest: """
            SQLite: 6,600 instructions, C 7,600; the statement takes 4,200, the row cache 330, the \
            object 290. Cairn keeps the row, in memory that the processor has not seen, which takes \
            the time that it saves
            """)

    private static let count = 2_000

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let places = setting.somePlaces(Self.count)
        let keys = places.map { Int64($0) + 1 }
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(1.0, lmdb: 1.8, inMemory: 1.3))
        {
            try setting.firingFaults(at: places) { faults, _ in
                for fault in faults { _ = fault.number }
            }
        }
        let baseline =
            try setting.sqlite("C: prepared, by key") { try $0.items(byKeys: keys) }
            + setting.lmdb("C: get, seal, copy") { try $0.items(byKeys: keys) }
            + setting.memory("C: rows in memory, by key") { $0.items(byKeys: keys) }
        let prepared = try setting.grdb("GRDB, prepared statement") { database in
            let statement = try database.cachedStatement(
                sql: "SELECT \(HandWrittenItem.columns) FROM item WHERE id = ?")
            return try keys.compactMap { key in
                try HandWrittenItem.fetchOne(statement, arguments: [key])
            }
        }
        let fetchOne = try setting.grdb("GRDB, fetchOne(key:)") { database in
            try keys.compactMap { try CodableItem.fetchOne(database, key: $0) }
        }
        return .contests([
            Contest(
                unit: "object", headline: .fault, baseline + [ours] + prepared + fetchOne)
        ])
    }
}

extension Setting {
    /// Creates faults of items whose rows were never read, and measures the cost of firing them in the body.
    func firingFaults(
        at places: [Int], _ body: @Sendable ([Item], ManagedObjectContext) throws -> Void
    ) throws -> Sample {
        try ColdItems(self).run { stack in
            try stack.inContext { context in
                let ids = try context.fetchIDs(FetchRequest<Item>())
                let faults = try places.compactMap { try context.object(with: ids[$0]) as? Item }
                var watch = Stopwatch()
                try watch.time { try body(faults, context) }
                return Sample(watch, rows: faults)
            }
        }
    }
}

import Cairn

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

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let indices = setting.indicesOfFaults
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(1.0, lmdb: 1.8, inMemory: 1.3))
        {
            try setting.firingFaults(at: indices) { faults, _ in
                for fault in faults { _ = fault.number }
            }
        }
        return .contests([Contest(unit: "object", headline: .fault, [ours])])
    }
}

extension Setting {
    /// The indices of the items whose faults are fired one by one.
    package var indicesOfFaults: [Int] { someIndices(2_000) }

    /// Creates faults of items whose rows were never read, and measures the cost of firing them in the body.
    package func firingFaults(
        at indices: [Int], _ body: @Sendable ([Item], ManagedObjectContext) throws -> Void
    ) throws -> Sample {
        try ColdItems(self).run { stack in
            try stack.inContext { context in
                let ids = try context.fetchIDs(FetchRequest<Item>())
                let faults = try indices.compactMap { try context.object(with: ids[$0]) as? Item }
                var watch = Stopwatch()
                try watch.time { try body(faults, context) }
                return Sample(watch, rows: faults)
            }
        }
    }
}

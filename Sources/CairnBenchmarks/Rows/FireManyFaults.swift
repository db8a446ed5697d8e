import Cairn

/// Row H.
struct FireManyFaults: Workload {
    let name = "H"
    let title = "fire 500 faults at once"
    let about = About(
        goal: "SQLite ≤ 0.8, LMDB ≤ 1.3, InMemory ≤ 1.5 of reading the rows one by one",
        heldFixed: """
            20 times 500 items whose keys jump about, no row cached, from a warm page cache
            """,
        varied: """
            C steps a prepared statement for each in one read transaction; Cairn fires the faults \
            of an array; GRDB fetches the records of an array of keys
            """,
        rest: """
            SQLite: 5,400 instructions, C 7,400; SQLite takes 4,500, giving rows to objects 590, \
            sorting keys 220. Pages that the connection's 4 MB cache lacks cost both sides the same, \
            nearly half of C's time
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let indices = setting.indicesOfManyFaults
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(0.8, lmdb: 1.3, inMemory: 1.5))
        {
            try setting.firingFaults(at: indices) { faults, context in
                for batch in faults.batches(of: Setting.faultsAtOnce) {
                    try context.fireFaults(of: Array(batch))
                }
            }
        }
        return .contests([Contest(unit: "object", [ours])])
    }
}

extension Setting {
    /// The number of faults that are fired at once.
    package static let faultsAtOnce = 500

    /// The indices of the items whose faults are fired.
    package var indicesOfManyFaults: [Int] { someIndices(20 * Self.faultsAtOnce) }
}

extension Array {
    /// Returns the elements in order, in batches of `count`.
    package func batches(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map {
            self[$0..<Swift.min($0 + count, self.count)]
        }
    }
}

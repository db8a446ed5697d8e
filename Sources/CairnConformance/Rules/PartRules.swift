import CairnModel
import CairnStore
import Synchronization

/// Rules about dividing a fetch among threads. An engine that does not divide fetches returns no parts,
/// which each rule allows.
let partRules: [ConformanceRule] = [
    ConformanceRule(
        "the parts of a fetch, each read by its own thread, find what one cursor finds",
        proves: [
            "StoreSnapshot.parts(of:atMost:rowsEach:): Read one after the",
            "StoreSnapshot.parts(of:atMost:rowsEach:): They complete every stage.",
        ]
    ) {
        subject in
        try subject.insertAll("Album", (0..<60).map { ["year": .integer($0)] })
        _ = try MusicFixture(subject, copies: 12)
        let snapshot = try subject.store.snapshot()
        var plans: [FetchPlan] = []
        for output in [FetchPlan.Output.rows, .ids] {
            plans += [
                try subject.plan("Album", output: output),
                try subject.plan("Album", includesSubentities: false, output: output),
                try subject.plan("Album", "year >= 20", output: output),
                try subject.plan("Album", sorts: [("year", false)], output: output),
                try subject.plan("Album", offset: 10, limit: 30, output: output),
                try subject.plan("Track", output: output),
            ]
        }
        for plan in plans {
            for count in 2...4 {
                let parts = try snapshot.parts(of: plan, atMost: count, rowsEach: 3)
                try require(parts.count <= count, "there are at most as many parts as requested")
                if parts.isEmpty { continue }
                let found = try subject.read(parts, of: plan)
                let cursor = try snapshot.cursor(plan)
                let expected = try subject.drain(cursor).ids
                try requireEqual(found.count, expected.count, "the number of matches of all parts")
                try requireEqual(Set(found), Set(expected), "the matches of all parts")
                if !plan.sorts.isEmpty { try requireEqual(found, expected, "their order") }
            }
        }
    },
    ConformanceRule(
        "the parts of a fetch show the state of their snapshot, even after later saves",
        proves: ["StoreSnapshot.parts(of:atMost:rowsEach:): Read one after the"]
    ) {
        subject in
        let ids = try subject.insertAll("Album", (0..<40).map { ["year": .integer($0)] })
        let plan = try subject.plan("Album", output: .ids)
        let snapshot = try subject.store.snapshot()
        guard subject.harness.engine.capabilities.readsDuringSave else {
            let parts = try snapshot.parts(of: plan, atMost: 2, rowsEach: 5)
            return try requireEqual(
                Set(try subject.read(parts, of: plan)), parts.isEmpty ? [] : Set(ids), "the matches"
            )
        }
        let before = try snapshot.parts(of: plan, atMost: 2, rowsEach: 5)
        try subject.insertAll("Album", (0..<40).map { ["year": .integer($0)] })
        let after = try snapshot.parts(of: plan, atMost: 2, rowsEach: 5)
        for parts in [before, after] where !parts.isEmpty {
            try requireEqual(
                Set(try subject.read(parts, of: plan)), Set(ids), "the matches of all parts")
        }
    },
    ConformanceRule(
        "a fetch with too few matches for a second thread is not divided into parts",
        proves: ["StoreSnapshot.parts(of:atMost:rowsEach:): Returns an empty array if"]
    ) {
        subject in
        try subject.insertAll("Album", Array(repeating: [:], count: 20))
        let snapshot = try subject.store.snapshot()
        for rowsEach in [1000, .max] {
            let parts = try snapshot.parts(
                of: try subject.plan("Album"), atMost: 2, rowsEach: rowsEach)
            try requireEqual(parts.count, 0, "the number of parts with \(rowsEach) matches")
        }
    },
]

extension StoreSubject {
    /// Returns the results of the parts, one part after another. Each part is read by its own thread.
    fileprivate func read(_ parts: [FetchPart], of plan: FetchPlan) throws -> [ObjectID] {
        let results = Mutex<[Int: [ObjectID]]>([:])
        try onThreads(parts.count) { index in
            let cursor = try parts[index].cursor()
            try require(
                cursor.completed.isComplete, "the cursor of a part completes all stages")
            let answer = try drain(cursor)
            try require(
                answer.isEmpty || answer.holdsIDsOnly == (plan.output == .ids),
                "a part returns IDs if the plan asks for IDs, and rows otherwise")
            results.withLock { $0[index] = answer.ids }
        }
        return results.withLock { results in parts.indices.flatMap { results[$0] ?? [] } }
    }
}

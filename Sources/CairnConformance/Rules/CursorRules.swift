import CairnModel
import CairnStore
import Foundation
import Synchronization

/// Rules about how cursors are read, and how fetches end early.
let cursorRules: [ConformanceRule] = [
    ConformanceRule(
        "several cursors of one snapshot can be read alternately",
        proves: ["StoreSnapshot: Several cursors of one", "RowCursor: Other cursors of the"]
    ) { subject in
        let ids = try subject.insertAll("Album", Array(repeating: [:], count: 12))
        let snapshot = try subject.store.snapshot()
        let cursors = try (0..<3).map { _ in try snapshot.cursor(try subject.plan("Album")) }
        var found = Array(repeating: [ObjectID](), count: cursors.count)
        var isAtEnd = Array(repeating: false, count: cursors.count)
        while isAtEnd.contains(false) {
            for (index, cursor) in cursors.enumerated() {
                let batch = try cursor.next(atMost: index + 1)
                isAtEnd[index] = batch == nil
                found[index] += batch?.ids ?? []
                // Other calls are also made in between.
                try requireEqual(try snapshot.rows(for: [ids[3]]).ids, [ids[3]], "a row")
            }
        }
        for (index, objects) in found.enumerated() {
            try requireEqual(objects.count, ids.count, "the matches of cursor \(index)")
            try requireEqual(Set(objects), Set(ids), "the objects of cursor \(index)")
        }
    },
    ConformanceRule(
        "an explained fetch finds the same objects, and reports what it read and why stages remain",
        proves: [
            "FetchPlan.isExplained: Whether the cursor should",
            "RowCursor.report: What the engine has", "RowCursor.report: Returns `nil` if the",
            "FetchReport.rowsRead: The number of rows", "FetchReport.reason: Why stages of the",
            "FetchReport.reason: `nil` if no stage",
        ]
    ) { subject in
        _ = try MusicFixture(subject, copies: 3)
        let plans = try [
            subject.plan("Track"), subject.plan("Track", "title BEGINSWITH 'a'", output: .ids),
            subject.plan("Track", sorts: [("title", true)]),
            subject.plan("Track", sorts: [("title", false)], offset: 1, limit: 3),
            subject.plan(
                "Track", "album.name != nil AND title MATCHES '.*e.*'", sorts: [("title", true)],
                limit: 2),
            subject.plan("Album", "ANY tracks.title != nil"),
        ]
        for plan in plans {
            let snapshot = try subject.store.snapshot()
            var explained = plan
            explained.isExplained = true
            let cursor = try snapshot.cursor(explained)
            let found = try subject.drain(cursor)
            try requireEqual(
                try subject.ids(explained, in: snapshot), try subject.ids(plan, in: snapshot),
                "the matches of an explained fetch")
            guard let report = cursor.report else { continue }
            try require(
                report.rowsRead >= found.count, "the rows that a fetch returns were read")
            try requireEqual(
                report.reason == nil, cursor.completed.isComplete,
                "whether no reason is given for remaining stages")
        }
    },
    ConformanceRule(
        "the stages that a cursor reports as completed do not change while it is read",
        proves: ["RowCursor.completed: The stages are known"]
    ) { subject in
        try subject.insertAll("Album", (0..<9).map { ["year": .integer($0)] })
        let plan = try subject.plan("Album", "year > 2", sorts: [("year", false)], limit: 5)
        let cursor = try subject.store.snapshot().cursor(plan)
        let first = cursor.completed
        repeat {
            let now = cursor.completed
            try require(
                now.isSorted == first.isSorted && now.isPaged == first.isPaged
                    && now.remainingPredicate == first.remainingPredicate,
                "the cursor reports the same stages as before its first batch")
        } while try cursor.next(atMost: 2) != nil
    },
    ConformanceRule(
        "a fetch throws .predicate if matching its pattern takes too many steps",
        proves: [
            "StoreSnapshot.cursor(_:): An error of the",
            "RowCursor.next(atMost:): After an error, the", "RowCursor.next(atMost:): .predicate",
        ]
    ) {
        subject in
        let ids = try subject.insertAll(
            "Album", ["short", String(repeating: "a", count: 40)].map { ["name": .string($0)] })
        let plan = try subject.plan("Album", "name MATCHES '(.|.)*(.|.)*Q'")
        let snapshot = try subject.store.snapshot()
        do {
            let cursor = try snapshot.cursor(plan)
            if cursor.completed.remainingPredicate == nil {
                _ = try subject.drain(cursor)
                throw RuleViolation(detail: "the fetch ended without an error")
            }
        } catch StoreError.predicate {}
        do {
            let count = try snapshot.count(plan)
            try require(count == nil, "a count with this pattern is not computed")
        } catch StoreError.predicate {}
        try requireEqual(
            try snapshot.rows(for: ids).count, 2, "the rows that the snapshot still returns")
        try subject.insert("Album", ["name": "another"])
        try requireEqual(try subject.rows("Album").count, 3, "the objects after the next save")
    },
    ConformanceRule(
        "cancelling a task ends only fetches that are cancellable",
        proves: [
            "RowCursor.next(atMost:): .cancelled",
            "FetchPlan.isCancellable: If `false`, cancelling the",
        ]
    ) { subject in
        let ids = try subject.insertAll("Album", (0..<300).map { ["year": .integer($0)] })
        for isCancellable in [false, true] {
            var plan = try subject.plan("Album", "year >= 0")
            plan.isCancellable = isCancellable
            do {
                let found = try inCancelledTask { [plan] in try subject.ids(plan) }
                try requireEqual(Set(found), Set(ids), "the objects found by a cancelled task")
            } catch StoreError.cancelled where isCancellable {}
        }
        try requireEqual(try subject.rows("Album").count, 300, "the objects found afterwards")
    },
]

/// Runs the body in a cancelled task on a new thread.
private func inCancelledTask<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) throws -> Result {
    let result = Mutex<Swift.Result<Result, any Error>?>(nil)
    let executor = OwnThreadExecutor()
    executor.run {
        withUnsafeCurrentTask { $0?.cancel() }
        let found = Swift.Result { try body() }
        result.withLock { $0 = found }
    }
    return try requireValue(result.withLock { $0 }, "the task's result").get()
}

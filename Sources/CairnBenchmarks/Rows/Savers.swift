import Cairn
import Dispatch
import Foundation

/// Saving from several tasks at a time.
struct Savers: Workload {
    let name = "savers"
    let title = "1, 8 and 64 tasks that save at the same time"
    let about = About(
        goal: """
            with a disk that takes 2 ms for each flush (CAIRN_SYNC_DELAY), 64 tasks save 10 times as much as one in \
            SQLite and LMDB, and 8 times as much in engines that write a whole file; look at the wall times
            """,
        heldFixed: """
            64 items, each of which is changed and saved 16 times (once in engines that write a whole file), in a \
            store of all items
            """,
        varied: """
            one task changes and saves all of them in turn; 8 and 64 tasks share them, each in a context of its own;
            GRDB writes records through one pool
            """)

    private static let itemCount = 64

    func plan(in setting: Setting) throws -> WorkloadPlan {
        .contests([
            Contest(
                unit: "save", durability: setting.engine.durability,
                try [1, 8, Self.itemCount].map { try Self.contender(setting, tasks: $0) })
        ])
    }

    private static func contender(_ setting: Setting, tasks: Int) throws -> Contender {
        let rounds = setting.isWholeFile ? 1 : 16
        let indices = Edit(setting, count: itemCount).indices
        let name = tasks == 1 ? "Cairn, 1 task" : "Cairn, \(tasks) tasks"
        return Contender(name, .ours) {
            try setting.changing(.items) { stack in
                let ids = try stack.inContext { context in
                    let all: FetchResults<Item> = try context.fetch(FetchRequest<Item>())
                    return indices.map { all[$0].objectID }
                }
                var watch = Stopwatch()
                try watch.time {
                    try SimultaneousTasks.run(tasks) { task in
                        let own = ids.indices.filter { $0 % tasks == task }.map { ids[$0] }
                        try await save(own, rounds, stack)
                    }
                }
                return Sample(watch, operations: ids.count * rounds, checksum: 0)
            }
        }
    }

    private static func save(
        _ ids: [ObjectID], _ rounds: Int, _ stack: MeasuredStack
    ) async throws {
        let context = stack.container.newBackgroundContext()
        for round in 0..<rounds {
            for id in ids {
                try await context.perform { context in
                    let item = try context.existingObject(with: id) as? Item
                    item?.price = Double(round) + 0.125
                    try context.save()
                }
            }
        }
    }
}

/// Tasks that run at the same time.
package enum SimultaneousTasks {
    /// Runs the tasks, and waits for all of them on the calling thread.
    ///
    /// - Parameter body: Called in each task with its number, from 0.
    /// - Throws: The first error of a task.
    package static func run(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void
    ) throws {
        let done = DispatchSemaphore(value: 0)
        let failure = Failure()
        Task {
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<count { group.addTask { try await body(number) } }
                    try await group.waitForAll()
                }
            } catch {
                failure.error = error
            }
            done.signal()
        }
        done.wait()
        if let error = failure.error { throw error }
    }

    private final class Failure: @unchecked Sendable {
        // Unchecked because the semaphore orders the write and the read.
        var error: (any Error)?
    }
}

import Cairn
import Dispatch
import Foundation

/// Saving from several threads at a time.
struct Savers: Workload {
    let name = "savers"
    let title = "one saver, and ten at a time"
    let about = About(
        goal: "ten savers take about as long for each save as one; look at the wall times",
        heldFixed: """
            10 items; each is changed and saved 10 times (once in engines that write a whole file), in a store of \
            all items
            """,
        varied: "one context saves all of them in turn; ten contexts on ten threads save one each")

    private static let itemCount = 10

    func plan(in setting: Setting) throws -> WorkloadPlan {
        .contests([
            Contest(
                unit: "save", durability: setting.engine.durability,
                [
                    try Self.contender("Cairn, one saver", setting, threads: 1),
                    try Self.contender("Cairn, ten savers", setting, threads: Self.itemCount),
                ])
        ])
    }

    private static func contender(
        _ name: String, _ setting: Setting, threads: Int
    ) throws -> Contender {
        let rounds = setting.isWholeFile ? 1 : 10
        let indices = Edit(setting, count: itemCount).indices
        return Contender(name, .ours) {
            try setting.changing(.items) { stack in
                let failure = Failure()
                var watch = Stopwatch()
                watch.time {
                    DispatchQueue.concurrentPerform(iterations: threads) { thread in
                        failure.catching {
                            let own = (0..<indices.count).filter { $0 % threads == thread }
                            try save(own.map { indices[$0] }, rounds, stack)
                        }
                    }
                }
                try failure.rethrow()
                return Sample(watch, operations: indices.count * rounds, checksum: 0)
            }
        }
    }

    private static func save(_ indices: [Int], _ rounds: Int, _ stack: MeasuredStack) throws {
        try stack.inContext { context in
            let all: FetchResults<Item> = try context.fetch(FetchRequest<Item>())
            let items = indices.map { all[$0] }
            for round in 0..<rounds {
                for item in items {
                    item.price = Double(round) + 0.125
                    try context.save()
                }
            }
        }
    }
}

/// The first error of several threads.
private final class Failure: @unchecked Sendable {
    // Unchecked because a lock protects the error.
    private let lock = NSLock()
    private var error: (any Error)?

    func catching(_ body: () throws -> Void) {
        do { try body() } catch { lock.withLock { self.error = self.error ?? error } }
    }

    func rethrow() throws {
        if let error = lock.withLock({ error }) { throw error }
    }
}

import CairnThreads
import Foundation
import Synchronization
import Testing

/// A race for `script/check-threads` to find: that the checker sees what runs on the executor.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CAIRN_PLANT_RACE"] != nil))
struct PlantedRaceTests {
    private final class Counter: @unchecked Sendable {
        // Unchecked on purpose: two tasks count without a lock.
        var count = 0
        /// How many tasks have begun. Relaxed, because any other order would keep the race from being one.
        let begun = Atomic<Int>(0)
    }

    @Test func `two tasks count without a lock`() async {
        let executor = TurnExecutor()
        let counter = Counter()

        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask(executorPreference: executor) {
                    counter.begun.add(1, ordering: .relaxed)
                    // Two of them at once, or else one thread may do them all, one after the other.
                    let end = ContinuousClock.now + .seconds(5)
                    while counter.begun.load(ordering: .relaxed) < 2, .now < end {}
                    for _ in 0..<10_000 { counter.count += 1 }
                }
            }
        }

        #expect(counter.count > 0)
    }
}

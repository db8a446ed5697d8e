import CairnThreads
import Foundation
import Synchronization
import Testing

/// A deliberate data race that `script/check-threads` must find. It shows that the checker observes code on
/// the executor.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CAIRN_PLANT_RACE"] != nil))
struct PlantedRaceTests {
    private final class Counter: @unchecked Sendable {
        // Unchecked on purpose: two tasks increment it without a lock.
        var count = 0
        /// The number of tasks that have begun. Relaxed, because a stronger ordering would remove the race.
        let begun = Atomic<Int>(0)
    }

    @Test func `two tasks count without a lock`() async {
        let executor = TurnExecutor()
        let counter = Counter()

        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask(executorPreference: executor) {
                    counter.begun.add(1, ordering: .relaxed)
                    // Waits until two tasks run. Otherwise a single thread might run all of them in turn.
                    let end = ContinuousClock.now + .seconds(5)
                    while counter.begun.load(ordering: .relaxed) < 2, .now < end {}
                    for _ in 0..<10_000 { counter.count += 1 }
                }
            }
        }

        #expect(counter.count > 0)
    }
}

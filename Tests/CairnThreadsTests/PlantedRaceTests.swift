import CairnThreads
import Foundation
import Testing

/// A race for `script/check-threads` to find: that the checker sees what runs on the executor.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CAIRN_PLANT_RACE"] != nil))
struct PlantedRaceTests {
    private final class Counter: @unchecked Sendable {
        // Unchecked on purpose: two tasks count without a lock.
        var count = 0
    }

    @Test func `two tasks count without a lock`() async {
        let executor = TurnExecutor()
        let counter = Counter()

        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask(executorPreference: executor) {
                    for _ in 0..<10_000 { counter.count += 1 }
                }
            }
        }

        #expect(counter.count > 0)
    }
}

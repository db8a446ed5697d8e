import CairnModel
import CairnStore
import CairnThreads
import Synchronization

/// Decides which fetches over several stores have each store read by a thread of its own.
///
/// A short fetch must not pay for waking a thread, and how long a fetch takes is known only afterwards. So a
/// fetch is read in parallel if the last one of its kind took long, and if a thread of the executor is free.
/// After a wrong guess one fetch wakes a thread for nothing, or gains nothing.
package final class ParallelReading: Sendable {
    /// Fetches that are taken to last equally long.
    struct Kind: Hashable {
        let entity: EntityNumber
        let output: FetchPlan.Output
        let hasPredicate: Bool
        let sortCount: Int
        let isLimited: Bool
        let isCount: Bool

        init(_ plan: FetchPlan, isCount: Bool = false) {
            entity = plan.entity.number
            output = plan.output
            hasPredicate = plan.predicate != nil
            sortCount = plan.sorts.count
            isLimited = plan.limit != nil
            self.isCount = isCount
        }
    }

    /// A fetch that lasts so long is worth other threads.
    private static let usualWorth: Duration = .microseconds(500)

    let executor: TurnExecutor
    private struct State {
        var worth = usualWorth
        var lastTimes: [Kind: Duration] = [:]
    }
    private let state = Mutex(State())

    init(on executor: TurnExecutor) { self.executor = executor }

    /// How long a fetch has to last to be read in parallel, for tests.
    package var worth: Duration {
        get { state.withLock { $0.worth } }
        set { state.withLock { $0.worth = newValue } }
    }

    /// Calls the body, and notes how long it takes.
    ///
    /// - Parameter body: is told whether to read in parallel.
    func reading<Result, Failure: Error>(
        _ kind: Kind, _ body: (_ inParallel: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isLong = state.withLock { $0.lastTimes[kind] ?? .zero >= $0.worth }
        let inParallel = isLong && executor.hasFreeProcessor
        let start = ContinuousClock.now
        let result = try body(inParallel)
        let time = start.duration(to: .now)
        // What one thread would have needed, or else the next fetch would seem too short for two.
        state.withLock { $0.lastTimes[kind] = inParallel ? time * 2 : time }
        return result
    }
}

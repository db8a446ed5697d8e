import CairnModel
import CairnStore
import CairnThreads
import Synchronization

/// Decides which fetches are read by several threads.
///
/// A short fetch must not pay for waking a thread, but the duration of a fetch is only known afterwards.
/// A fetch from several stores is therefore read in parallel if the last fetch of its kind took long,
/// and if a thread of the executor is free. A wrong guess affects only one fetch, which wakes a thread
/// unnecessarily or misses a speed-up. A fetch of all rows of one store is read in parallel if its
/// engine says that there are many rows, and if a thread of the executor is free.
package final class ParallelReading: Sendable {
    /// Identifies fetches that are assumed to take equally long.
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

    /// How the rows of one store are divided among threads.
    package struct Division: Sendable {
        /// The maximum number of threads. Two threads read almost twice as fast as one; more threads
        /// were not measured.
        package var threadCount = 2
        /// The minimum number of rows for each thread.
        package var rowsEach = 25_000
        /// Whether to read in parallel even if no thread is free.
        package var ignoresLoad = false
    }

    /// The minimum duration of fetches for which other threads are used.
    private static let usualWorth: Duration = .microseconds(500)

    let executor: TurnExecutor
    private struct State {
        var worth = usualWorth
        var lastTimes: [Kind: Duration] = [:]
        var division = Division()
    }
    private let state = Mutex(State())

    init(on executor: TurnExecutor) { self.executor = executor }

    /// The minimum duration of fetches that are read in parallel. Set by tests.
    package var worth: Duration {
        get { state.withLock { $0.worth } }
        set { state.withLock { $0.worth = newValue } }
    }

    /// How the rows of one store are divided. Set by tests.
    package var division: Division {
        get { state.withLock { $0.division } }
        set { state.withLock { $0.division = newValue } }
    }

    /// Returns the parts of a fetch from one store that are to be read at the same time. Returns an
    /// empty array if one thread is to read all of the fetch.
    ///
    /// - Precondition: The plan asks for all objects.
    /// - Throws: The errors of the snapshot.
    func parts(of plan: FetchPlan, in snapshot: any StoreSnapshot) throws(StoreError) -> [FetchPart]
    {
        assert(plan.asksForAll, "only a fetch of all objects is divided")
        let division = division
        guard division.ignoresLoad || (executor.processorCount > 1 && executor.hasFreeProcessor)
        else { return [] }
        return try snapshot.parts(
            of: plan, atMost: division.threadCount, rowsEach: division.rowsEach)
    }

    /// Calls a closure, and records how long it takes.
    ///
    /// - Parameter body: Takes whether to read in parallel.
    func reading<Result, Failure: Error>(
        _ kind: Kind, _ body: (_ inParallel: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isLong = state.withLock { $0.lastTimes[kind] ?? .zero >= $0.worth }
        let inParallel = isLong && executor.hasFreeProcessor
        let start = ContinuousClock.now
        let result = try body(inParallel)
        let time = start.duration(to: .now)
        // Record the time that one thread would have needed. Otherwise, the next fetch would seem too
        // short for two threads.
        state.withLock { $0.lastTimes[kind] = inParallel ? time * 2 : time }
        return result
    }
}

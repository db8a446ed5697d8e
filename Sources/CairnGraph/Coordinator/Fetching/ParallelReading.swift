import CairnModel
import CairnStore
import CairnThreads
import Synchronization

/// Decides which fetches are read by several threads.
///
/// A short fetch must not pay for waking a thread, and how long a fetch takes is known only afterwards. So a
/// fetch over several stores is read in parallel if the last one of its kind took long, and if a thread of the
/// executor is free. After a wrong guess one fetch wakes a thread for nothing, or gains nothing. A fetch of all
/// rows of one store is read in parallel if its engine finds them many, and if a processor is idle.
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

    /// How the rows of one store are divided among threads.
    package struct Division: Sendable {
        /// The most threads. Two read almost twice as fast as one; how fast more are was not measured.
        package var threadCount = 2
        /// How many rows are worth a thread.
        package var rowsEach = 25_000
        /// Whether all processors may be in use.
        package var ignoresLoad = false
    }

    /// A fetch that lasts so long is worth other threads.
    private static let usualWorth: Duration = .microseconds(500)

    let executor: TurnExecutor
    private struct State {
        var worth = usualWorth
        var lastTimes: [Kind: Duration] = [:]
        var division = Division()
    }
    private let state = Mutex(State())

    init(on executor: TurnExecutor) { self.executor = executor }

    /// How long a fetch has to last to be read in parallel, for tests.
    package var worth: Duration {
        get { state.withLock { $0.worth } }
        set { state.withLock { $0.worth = newValue } }
    }

    /// How the rows of one store are divided, for tests.
    package var division: Division {
        get { state.withLock { $0.division } }
        set { state.withLock { $0.division = newValue } }
    }

    /// Returns the parts of a fetch of one store that are read at the same time. Returns none if one thread
    /// reads the fetch.
    ///
    /// - Precondition: the plan asks for all objects.
    /// - Throws: what the snapshot throws.
    func parts(of plan: FetchPlan, in snapshot: any StoreSnapshot) throws(StoreError) -> [FetchPart]
    {
        assert(plan.asksForAll, "only a fetch of all objects is divided")
        let division = division
        guard division.ignoresLoad || (executor.processorCount > 1 && executor.hasFreeProcessor)
        else { return [] }
        let parts = try snapshot.parts(
            of: plan, atMost: division.threadCount, rowsEach: division.rowsEach)
        // The load is looked at last, because it costs more than to ask a store with few rows.
        guard parts.count > 1, division.ignoresLoad || SystemLoad.hasIdleProcessor else {
            return []
        }
        return parts
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

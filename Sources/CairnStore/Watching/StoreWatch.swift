import Synchronization

/// One store whose new states are to be reported.
///
/// Starts when it is told to, and ends when it is told to. Safe from any thread.
package final class StoreWatch: Sendable {
    /// Returns the store's newest state.
    package typealias Look = @Sendable () throws(StoreError) -> StoreGeneration
    /// Called with a state that is newer than each one before, on the watcher's thread.
    package typealias Report = @Sendable (StoreGeneration) -> Void

    private struct Work: Sendable {
        var known: StoreGeneration
        let look: Look
        let report: Report
    }

    private enum State {
        case waiting
        case watching(Work)
        case ended
    }

    let files: WatchedFiles?
    /// Whether anybody but this handle can save to the store.
    let isShared: Bool
    private let watcher: StoreWatcher
    private let state = Mutex(State.waiting)
    private let isLookWanted = Atomic(false)

    /// Does nothing before ``start(after:looking:reporting:)``.
    package init(of store: any PersistentStore, by watcher: StoreWatcher = .shared) {
        files = WatchedFiles(of: store)
        isShared = type(of: store).capabilities.isShared
        self.watcher = watcher
    }

    /// Begins to report states that are newer than the known one. Has no effect after ``end()``.
    ///
    /// What the two functions hold is released by ``end()``.
    package func start(
        after known: StoreGeneration, looking look: @escaping Look,
        reporting report: @escaping Report
    ) {
        state.withLock { state in
            guard case .waiting = state else { return }
            state = .watching(Work(known: known, look: look, report: report))
            // Inside of the lock, so that an end at the same time comes after it.
            watcher.add(self)
        }
    }

    /// Has the watcher look at the store soon, because somebody may have saved to it.
    package func lookSoon() {
        isLookWanted.store(true, ordering: .releasing)
        watcher.wakeUp()
    }

    /// Ends the watch: no report is begun any more. One that was begun before goes on.
    package func end() {
        // Released outside of the lock: what the functions hold may end watches.
        let former = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .watching = former { watcher.remove(self) }
    }

    // MARK: The watcher's thread

    /// Returns whether a look was asked for since the last call.
    func takeWish() -> Bool { isLookWanted.exchange(false, ordering: .acquiring) }

    /// Looks at the store, and reports a state that is new. A store that cannot be looked at now has
    /// no news.
    func look(until deadline: ContinuousClock.Instant) {
        guard case .watching(let work) = state.withLock({ $0 }) else { return }
        let newest = try? StoreDeadline.with(deadline) { () throws(StoreError) in try work.look() }
        guard let newest, newest > work.known else { return }
        let isWatching = state.withLock { state in
            guard case .watching(var work) = state else { return false }
            work.known = newest
            state = .watching(work)
            return true
        }
        if isWatching { work.report(newest) }
    }
}

import CairnFiles
import CairnStore
import Foundation
import Synchronization

/// One watched store, whose new states are reported.
///
/// The watch starts with ``start(after:looking:reporting:)`` and ends with ``end()``. It can be
/// used from any thread.
package final class StoreWatch: Sendable {
    /// Returns the store's newest state.
    package typealias Look = @Sendable () throws(StoreError) -> StoreGeneration
    /// Called on the watcher's thread with a state that is newer than all states before.
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

    /// The file names whose changes may mean that the store has a new state, by the path of their
    /// folder. `nil` if the store is not a file.
    let fileNames: [String: Set<String>]?
    /// Whether the store can be saved to through other handles.
    let isShared: Bool
    private let watcher: StoreWatcher
    private let state = Mutex(State.waiting)
    private let isLookRequested = Atomic(false)

    /// Creates a watch. It does nothing until ``start(after:looking:reporting:)`` is called.
    package init(of store: any PersistentStore, by watcher: StoreWatcher = .shared) {
        fileNames = Self.fileNames(of: store)
        isShared = type(of: store).capabilities.isShared
        self.watcher = watcher
    }

    /// Collects the store's file and the companion files that contain data, under the given paths
    /// and under those that symbolic links lead to.
    private static func fileNames(of store: any PersistentStore) -> [String: Set<String>]? {
        let location = store.request.location
        guard let engine = type(of: store) as? any FileStore.Type, let url = location.fileURL
        else { return nil }
        let companions = engine.companionFiles(of: location).filter { $0.role == .data }
        var names: [String: Set<String>] = [:]
        for file in [url, url.followingLinks] + companions.map(\.url) {
            names[file.deletingLastPathComponent().path, default: []]
                .insert(file.lastPathComponent)
        }
        return names
    }

    /// Starts reporting states that are newer than `known`. Has no effect after ``end()``.
    ///
    /// The two closures are released by ``end()``.
    package func start(
        after known: StoreGeneration, looking look: @escaping Look,
        reporting report: @escaping Report
    ) {
        state.withLock { state in
            guard case .waiting = state else { return }
            state = .watching(Work(known: known, look: look, report: report))
            // Add the watch while holding the lock, so that a concurrent `end()` removes it
            // afterwards.
            watcher.add(self)
        }
    }

    /// Asks the watcher to look at the store soon, because a save may have taken place.
    package func lookSoon() {
        isLookRequested.store(true, ordering: .releasing)
        watcher.wakeUp()
    }

    /// Ends the watch. No further report begins, but a report that has begun continues.
    package func end() {
        // The closures are released outside of the lock, because objects that they hold may end
        // watches.
        let former = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .watching = former { watcher.remove(self) }
    }

    // MARK: The watcher's thread

    /// Returns whether a look was requested since the last call.
    func takeLookRequest() -> Bool { isLookRequested.exchange(false, ordering: .acquiring) }

    /// Looks at the store and reports its state if it is new. If the store cannot be read now,
    /// nothing is reported.
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

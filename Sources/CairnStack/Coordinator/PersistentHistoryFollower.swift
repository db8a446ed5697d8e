import CairnEngineKit
import CairnStore
import Synchronization

/// The transactions of a coordinator's stores after a token, as they are made: first those that the
/// histories have, then each new one, whether it was saved by this process or another.
///
/// ```swift
/// for try await transaction in coordinator.followHistory(after: token) {
///     index.apply(transaction)
///     token = transaction.token
/// }
/// ```
///
/// The sequence reads a page of transactions only when its consumer asks for the next one, so a slow
/// consumer does not make it grow. It ends when its task is cancelled. Saves of other processes are
/// noticed as described for ``PersistentStoreCoordinator/remoteChangeNotification``, and those of this
/// coordinator immediately. Each loop over the sequence begins again after its token, and notices saves
/// to the stores that the coordinator has at that time.
public struct PersistentHistoryFollower: AsyncSequence, Sendable {
    /// The maximum number of transactions that are read at a time.
    private static let pageCount = 100

    fileprivate let coordinator: PersistentStoreCoordinator
    fileprivate let token: PersistentHistoryToken?
    fileprivate let isIncluded: @Sendable (PersistentHistoryTransaction) -> Bool

    /// Begins to follow.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The position of one loop over a ``PersistentHistoryFollower``.
    public struct Iterator: AsyncIteratorProtocol {
        private let follower: PersistentHistoryFollower
        private var token: PersistentHistoryToken?
        private var page: ArraySlice<PersistentHistoryTransaction> = []
        private var watch: FollowedStores?

        fileprivate init(_ follower: PersistentHistoryFollower) {
            self.follower = follower
            token = follower.token
        }

        /// Returns the next transaction. Waits until there is one. Returns `nil` if the task is
        /// cancelled.
        ///
        /// - Throws: the errors of ``PersistentStoreCoordinator/history(after:limit:fromStores:)``. The
        ///   next call tries to read again.
        public mutating func next() async throws(GraphError) -> PersistentHistoryTransaction? {
            try await next(isolation: nil)
        }

        /// Returns the next transaction, like ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(GraphError) -> PersistentHistoryTransaction? {
            let coordinator = follower.coordinator
            while !Task.isCancelled {
                if let next = page.popFirst() {
                    token = next.token
                    if follower.isIncluded(next) { return next }
                    continue
                }
                let token = token
                let known = watch
                // Watch before reading, so that no save is missed in between.
                let (found, watch) = try await coordinator.executor.runWaiting {
                    () throws(GraphError) in
                    let watch = known ?? FollowedStores(coordinator)
                    let found = try coordinator.history(
                        after: token, limit: PersistentHistoryFollower.pageCount)
                    return (found, watch)
                }
                self.watch = watch
                page = found[...]
                if found.isEmpty { await watch.waitForSave() }
            }
            return nil
        }
    }
}

extension PersistentStoreCoordinator {
    /// Returns the transactions of the stores that keep a history, after a token and as they are made.
    ///
    /// - Parameters:
    ///   - token: The token to begin after. `nil` means the oldest transactions that the stores have.
    ///   - isIncluded: Returns whether a transaction is wanted. Leave out what the program itself saved
    ///     by its author or by the name of its context.
    public func followHistory(
        after token: PersistentHistoryToken? = nil,
        where isIncluded: @escaping @Sendable (PersistentHistoryTransaction) -> Bool = { _ in true }
    ) -> PersistentHistoryFollower {
        PersistentHistoryFollower(coordinator: self, token: token, isIncluded: isIncluded)
    }
}

/// Notices saves to a coordinator's stores, for one follower.
private final class FollowedStores: Sendable {
    private let wakeUp = FollowerWakeUp()
    private let watches: [StoreWatch]
    private let stores: [AttachedStore]

    init(_ coordinator: PersistentStoreCoordinator) {
        stores = coordinator.attachedStores
        watches = stores.map { StoreWatch(of: $0.store) }
        for (attached, watch) in zip(stores, watches) {
            attached.add(wakeUp)
            guard let newest = try? attached.newestGeneration() else { continue }
            watch.start(after: newest) { () throws(StoreError) in
                try attached.newestGeneration()
            } reporting: { [wakeUp] _ in
                wakeUp.signal()
            }
        }
    }

    deinit {
        for watch in watches { watch.end() }
        for attached in stores { attached.remove(wakeUp) }
    }

    func waitForSave() async { await wakeUp.wait() }
}

/// Wakes up one task after a save. A signal that comes while the task does not wait is kept.
final class FollowerWakeUp: Sendable {
    private enum State {
        case idle, signalled
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.idle)

    /// Ends the current wait, or the next one.
    func signal() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .waiting(let waiter) = state else {
                state = .signalled
                return nil
            }
            state = .idle
            return waiter
        }
        waiter?.resume()
    }

    /// Waits for a signal, or until the task is cancelled. Only one task waits at a time.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isSignalled = state.withLock { state in
                    guard case .signalled = state else {
                        state = .waiting(waiter)
                        return false
                    }
                    state = .idle
                    return true
                }
                if isSignalled { waiter.resume() }
            }
        } onCancel: {
            signal()
        }
    }
}

extension AttachedStore {
    fileprivate func add(_ follower: FollowerWakeUp) {
        followers.withLock { followers in
            followers.append(follower)
            followerCount.store(followers.count, ordering: .releasing)
        }
    }

    fileprivate func remove(_ follower: FollowerWakeUp) {
        followers.withLock { followers in
            followers.removeAll { $0 === follower }
            followerCount.store(followers.count, ordering: .releasing)
        }
    }

    /// Wakes up the followers after a save. Without followers, the cost is one load.
    func wakeFollowers() {
        if followerCount.load(ordering: .acquiring) == 0 { return }
        for follower in followers.withLock({ $0 }) { follower.signal() }
    }
}

import CairnStore
import Dispatch
import Synchronization

/// Snapshots of one store that are kept for a short time after a read, for use by the next read.
///
/// Faults fire one by one, and taking a new snapshot for each would cost many times as much as reading
/// the row. A snapshot is kept for at most ``longestStay``, because the store's log grows while a
/// snapshot is held. It is also ended as soon as the coordinator knows of a newer state, and a snapshot
/// that is older than the newest known state is not kept. Reads therefore always include what the
/// coordinator itself saved.
///
/// A kept snapshot may fail in the meantime, for example because a connection to a server is lost. The
/// read is then repeated once with a new snapshot.
///
/// This class can be used from any thread. Each snapshot has one user at a time.
final class RecentSnapshots: Sendable {
    /// The maximum time for which a snapshot is kept. A timer ends all kept snapshots after this time.
    static let longestStay = DispatchTimeInterval.milliseconds(20)
    /// The maximum number of kept snapshots. There is more than one only if several threads read.
    private static let mostKept = 4

    private struct State {
        var kept: [any StoreSnapshot] = []
        /// Identifies the period in which kept snapshots may be used. Increased when earlier snapshots
        /// must no longer be used.
        var era = 0
        var hasTimer = false
    }

    private let state = Mutex(State())

    /// Calls a closure with a kept snapshot, or with a new snapshot from `take`. If the closure throws
    /// `.engineFailure` for a kept snapshot, it is called again with a new one. This is safe because the
    /// closure only reads.
    ///
    /// - Parameters:
    ///   - take: Takes a new snapshot.
    ///   - isNewest: Whether a snapshot is as new as the newest known state. Other snapshots are not kept.
    ///   - body: Reads from a snapshot.
    /// - Throws: The errors of `take` and of `body`.
    func read<Result>(
        orTake take: () throws(StoreError) -> any StoreSnapshot,
        keepingIf isNewest: (any StoreSnapshot) -> Bool = { _ in true },
        _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let (known, era) = state.withLock { ($0.kept.popLast(), $0.era) }
        if let known {
            do {
                // It was the newest when it was kept, and a newer state would have begun another era.
                return try use(known, of: era, { _ in true }, body)
            } catch .engineFailure {
                // The other kept snapshots may have failed for the same reason.
                forgetAll()
            } catch {
                throw error
            }
        }
        // Taking the snapshot may reveal a newer state, which begins a new era. A save that ends in the
        // meantime also begins one, and the snapshot may lack this save: then it is not the newest.
        let new = try take()
        let eraOfNew = state.withLock { $0.era }
        return try use(new, of: eraOfNew, isNewest, body)
    }

    private func use<Result>(
        _ snapshot: any StoreSnapshot, of era: Int, _ isNewest: (any StoreSnapshot) -> Bool,
        _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do {
            let result = try body(snapshot)
            if isNewest(snapshot) { keep(snapshot, of: era) } else { snapshot.end() }
            return result
        } catch {
            snapshot.end()
            throw error
        }
    }

    /// Ends all kept snapshots. Snapshots in use are ended when they are returned.
    func forgetAll() {
        // The snapshots are ended without holding the lock, because returning a connection takes other
        // locks.
        let forgotten = state.withLock { state in
            state.era += 1
            defer { state.kept = [] }
            return state.kept
        }
        for snapshot in forgotten { snapshot.end() }
    }

    /// Keeps a snapshot for the next read, or ends it.
    private func keep(_ snapshot: any StoreSnapshot, of era: Int) {
        let (isKept, needsTimer) = state.withLock { state in
            guard state.era == era, state.kept.count < Self.mostKept else { return (false, false) }
            state.kept.append(snapshot)
            defer { state.hasTimer = true }
            return (true, !state.hasTimer)
        }
        if !isKept { snapshot.end() }
        guard needsTimer else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestStay) { [weak self] in
            self?.state.withLock { $0.hasTimer = false }
            self?.forgetAll()
        }
    }
}

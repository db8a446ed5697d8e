import CairnStore
import Dispatch
import Synchronization

/// Snapshots of one store that a read has finished with, kept briefly for the next read.
///
/// Faults fire one by one, and a new snapshot for each would cost many times as much as reading its
/// row. A snapshot is kept for at most ``longestStay``, because the store's log grows while it is
/// held. It is also ended as soon as the coordinator knows of a newer state, so that a read always
/// sees what the coordinator itself saved.
///
/// A kept snapshot may have died in the meantime, as a connection to a server does. It is then
/// replaced once by a new one.
///
/// Safe from any thread; a snapshot has one user at a time.
final class RecentSnapshots: Sendable {
    /// How long a snapshot is kept at most: a timer then ends all that are kept.
    static let longestStay = DispatchTimeInterval.milliseconds(20)
    /// More than one snapshot is in use at a time only if several threads read.
    private static let mostKept = 4

    private struct State {
        var kept: [any StoreSnapshot] = []
        /// Grows when earlier snapshots must no longer be used.
        var era = 0
        var hasTimer = false
    }

    private let state = Mutex(State())

    /// Calls the body with a kept snapshot, or with the one that `take` returns. If the body throws
    /// `.engineFailure` with a kept snapshot, calls it again with a new one, which is safe because
    /// the body only reads.
    ///
    /// - Throws: the errors of `take` and of the body.
    func read<Result>(
        orTake take: () throws(StoreError) -> any StoreSnapshot,
        _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let (known, era) = state.withLock { ($0.kept.popLast(), $0.era) }
        if let known {
            do throws(StoreError) {
                return try use(known, of: era, body)
            } catch .engineFailure {
                // Others that are kept may have died of the same.
                forgetAll()
            } catch {
                throw error
            }
        }
        // The state may turn out to be a newer one, which begins an era of its own.
        let new = try take()
        let eraOfNew = state.withLock { $0.era }
        return try use(new, of: eraOfNew, body)
    }

    private func use<Result>(
        _ snapshot: any StoreSnapshot, of era: Int,
        _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            let result = try body(snapshot)
            keep(snapshot, of: era)
            return result
        } catch {
            snapshot.end()
            throw error
        }
    }

    /// Ends all that are kept, and those in use when they are given back.
    func forgetAll() {
        // Ended outside of the lock: giving a connection back takes others.
        let forgotten = state.withLock { state in
            state.era += 1
            defer { state.kept = [] }
            return state.kept
        }
        for snapshot in forgotten { snapshot.end() }
    }

    /// Keeps a snapshot that nobody uses for the next read, or ends it.
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

import CairnModel
import CairnStore
import CairnThreads
import Synchronization

/// Where the prepared parts of a save over several stores become visible, and snapshots of several
/// stores are taken.
///
/// Held while stores commit one after the other: so a reader of this coordinator sees a save over
/// several stores in all of them or in none.
final class CommitGate: Sendable {
    private let gate = Mutex(())
    /// By the openings of the stores, the states that were last seen together while no process was in the middle of a
    /// save over several stores.
    private let whole = Mutex<[[UInt64]: [StoreGeneration]]>([:])
    /// Programs have a few sets of stores that they read together.
    private static let mostKnown = 64

    /// Runs the body while no save of this coordinator over several stores is half committed.
    func withoutCommits<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Others hold the gate while they wait for a disk.
        try TurnExecutor.whileWaiting { () throws(Failure) in
            try gate.withLock { (_) throws(Failure) in try body() }
        }
    }

    /// Whether these states are known to be of one moment, whichever process saved.
    func knows(_ set: SnapshotSet) -> Bool {
        let generations = whole.withLock { $0[set.openings] }
        return generations == set.generations
    }

    /// Notes states that were taken while no process was in the middle of a save over several stores.
    func note(_ set: SnapshotSet) {
        whole.withLock { whole in
            if whole.count >= Self.mostKnown { whole = [:] }
            whole[set.openings] = set.generations
        }
    }
}

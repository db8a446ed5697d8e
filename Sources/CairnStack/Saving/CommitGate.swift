import CairnModel
import CairnStore
import CairnThreads
import Synchronization

/// Makes the prepared parts of a save to several stores visible together to readers of several stores.
///
/// The gate is held while stores commit one after the other and while snapshots of several stores are
/// taken. Readers of this coordinator therefore see a save to several stores in all of them or in none.
final class CommitGate: Sendable {
    private let gate = Mutex(())
    /// For each set of stores, identified by their openings, the states that were last seen together
    /// while no process was in the middle of a save to several stores.
    private let whole = Mutex<[[UInt64]: [StoreGeneration]]>([:])
    /// The maximum number of known sets. Programs usually read only a few sets of stores together.
    private static let mostKnown = 64

    /// Runs a closure while none of this coordinator's saves to several stores is partly committed.
    func withoutCommits<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Others may hold the gate while they wait for a disk.
        try TurnExecutor.whileWaiting { () throws(Failure) in
            try gate.withLock { (_) throws(Failure) in try body() }
        }
    }

    /// Whether these states are known to be from the same moment, with respect to the saves of all
    /// processes.
    func knows(_ set: SnapshotSet) -> Bool {
        let generations = whole.withLock { $0[set.openings] }
        return generations == set.generations
    }

    /// Records states that were taken while no process was in the middle of a save to several stores.
    func note(_ set: SnapshotSet) {
        whole.withLock { whole in
            if whole.count >= Self.mostKnown { whole = [:] }
            whole[set.openings] = set.generations
        }
    }
}

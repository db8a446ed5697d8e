import CairnModel
import CairnStore
import CairnThreads
import Synchronization

/// Where the prepared parts of saves become visible, and snapshots of several stores are taken.
///
/// Held while stores commit one after the other: so a reader of this coordinator sees a save over
/// several stores in all of them or in none.
final class CommitGate: Sendable {
    private let gate = Mutex(())

    /// Runs the body while no save over several stores is half committed.
    func withoutCommits<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Others hold the gate while they wait for a disk.
        try TurnExecutor.whileWaiting { () throws(Failure) in
            try gate.withLock { (_) throws(Failure) in try body() }
        }
    }

    /// Commits all parts of a save.
    ///
    /// Durable stores go first: what is in memory only cannot fail for want of a disk.
    ///
    /// - Returns: the inserted and updated rows as the stores have them now.
    /// - Throws: `.store` where the first commit failed: nothing was saved. `.partlySaved` where a
    ///   later one failed. `.saveOutcomeUnknown` where any one may or may not have happened.
    func commit(_ saves: [StoreSave]) throws(GraphError) -> RowBatch {
        guard saves.count > 1 else { return try commitInTurn(saves) }
        let ordered =
            saves.filter(\.attached.capabilities.isDurable)
            + saves.filter { !$0.attached.capabilities.isDurable }
        return try withoutCommits { () throws(GraphError) in try commitInTurn(ordered) }
    }

    private func commitInTurn(_ saves: [StoreSave]) throws(GraphError) -> RowBatch {
        var rows = RowBatch()
        var saved: [StoreLocation] = []
        for save in saves {
            do {
                rows.append(try save.commit())
            } catch {
                if case .commitOutcomeUnknown(let failure) = error {
                    throw .saveOutcomeUnknown(save.location, saved: saved, reason: failure)
                }
                if saved.isEmpty { throw .store(error) }
                throw .partlySaved(saved: saved, failed: save.location, reason: error)
            }
            saved.append(save.location)
        }
        return rows
    }
}

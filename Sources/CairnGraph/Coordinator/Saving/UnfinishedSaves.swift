import CairnSaveJournal
import CairnStore
import CairnThreads
import Synchronization

/// The parts of saves that one store has yet to write although the saves have taken place. Such a
/// save is one over several stores that some process began and that was interrupted, or one that a
/// store in memory refused.
///
/// The store writes these parts before anything else is read from it or saved to it.
final class UnfinishedSaves: Sendable {
    /// `nil` if the store is no file.
    let file: PendingSaveFile?
    private let store: any PersistentStore
    private let recovery: SaveRecovery
    private let isReadOnly: Bool

    /// The requests that a store without a file has yet to write.
    private let requests = Mutex<[SaveRequest]>([])

    init(of store: any PersistentStore, recovery: SaveRecovery) {
        self.store = store
        self.recovery = recovery
        isReadOnly = store.request.isReadOnly
        file = store is any FileStore ? PendingSaveFile(of: store.request.location) : nil
    }

    /// Notes that the store has to take this request before it is used again. Does nothing for a store that
    /// is a file: the save's journal has the request.
    func add(_ request: SaveRequest) {
        if file == nil { requests.withLock { $0.append(request) } }
    }

    /// Finishes what is unfinished, after a state of the store was taken and before it is read.
    ///
    /// Called if ``mayConcernReaders``. Does not wait for a live process that is
    /// about to finish its save: the state is whole by itself.
    ///
    /// - Returns: whether the store may have a newer state by now.
    /// - Throws: `.savePending`, `.saveInDoubt`, and as ``SaveRecovery/settle(_:)``.
    func finishBeforeReading() throws(StoreError) -> Bool {
        if hasRequests {
            try redo()
            return true
        }
        guard let file, !isReadOnly else { return false }
        return try TurnExecutor.whileWaiting { () throws(StoreError) in
            try recovery.settleIfFree(file)
        }
    }

    /// Whether a reader has to finish something first, or ask whether it can. Costs one call of the system.
    var mayConcernReaders: Bool { hasRequests || (!isReadOnly && file?.exists ?? false) }

    /// Whether nothing is unfinished. Costs one call of the system.
    var isEmpty: Bool { !hasRequests && !(file?.exists ?? false) }

    private var hasRequests: Bool { requests.withLock { !$0.isEmpty } }

    /// Finishes what is unfinished, and waits for live processes that are about to finish their saves.
    ///
    /// - Throws: as ``finishBeforeReading()``.
    func finish() throws(StoreError) {
        try redo()
        guard let file else { return }
        try TurnExecutor.whileWaiting { () throws(StoreError) in try recovery.settle(file) }
    }

    /// Runs a body while no save over several of the stores is unfinished.
    ///
    /// - Throws: what the body throws; as ``SaveRecovery/whileSettled(_:mayFinish:_:)``.
    func whileFinished<Result>(
        _ files: [PendingSaveFile], mayFinish: Bool, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try recovery.whileSettled(files, mayFinish: mayFinish, body)
    }

    /// Has a store without a file take what it refused before.
    private func redo() throws(StoreError) {
        while let request = requests.withLock({ $0.first }) {
            do throws(StoreError) {
                let transaction = try store.beginSave()
                defer { transaction.rollback() }
                try transaction.prepare(request)
                _ = try transaction.commit()
            } catch {
                throw .savePending(
                    InterruptedSave(
                        id: request.id, stores: [store.request.location],
                        detail: "\(store.request.location) cannot be written: \(error.description)")
                )
            }
            requests.withLock { if !$0.isEmpty { $0.removeFirst() } }
        }
    }
}

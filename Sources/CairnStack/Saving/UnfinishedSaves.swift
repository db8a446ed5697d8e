import CairnSaveJournal
import CairnStore
import CairnThreads
import Synchronization

/// The parts of successful saves that one store has yet to write. Such a save was made to several stores
/// by some process and was interrupted, or an in-memory store refused its part.
///
/// The store writes these parts before anything else is read from it or saved to it.
final class UnfinishedSaves: Sendable {
    /// The store's record of pending saves, or `nil` if the store is not a file.
    let file: PendingSaveFile?
    private let store: any PersistentStore
    private let recovery: SaveRecovery
    private let isReadOnly: Bool

    /// The requests that an in-memory store has yet to write.
    private let requests = Mutex<[SaveRequest]>([])

    init(of store: any PersistentStore, recovery: SaveRecovery) {
        self.store = store
        self.recovery = recovery
        isReadOnly = store.request.isReadOnly
        file = store is any FileStore ? PendingSaveFile(of: store.request.location) : nil
    }

    /// Records a request that the store must write before it is used again. Has no effect if the store
    /// is a file, because the save's journal contains the request.
    func add(_ request: SaveRequest) {
        if file == nil { requests.withLock { $0.append(request) } }
    }

    /// Finishes unfinished saves. Called after a state of the store was taken and before it is read, if
    /// ``mayConcernReaders`` is `true`.
    ///
    /// Does not wait for a running process that is about to finish its own save, because the state is
    /// consistent by itself.
    ///
    /// - Returns: Whether the store may have a newer state now.
    /// - Throws: `.savePending`, `.saveInDoubt`, and the errors of ``SaveRecovery/settle(_:)``.
    func finishBeforeReading() throws(StoreError) -> Bool {
        guard let file else {
            try redo()
            return true
        }
        guard !isReadOnly else { return false }
        return try TurnExecutor.whileWaiting { () throws(StoreError) in
            try recovery.settleIfFree(file)
        }
    }

    /// Whether a reader must finish a save first, or check whether it can. Costs one system call.
    var mayConcernReaders: Bool { !isReadOnly && !isEmpty }

    /// Whether there are no unfinished saves. Costs one system call if the store is a file.
    var isEmpty: Bool { file.map { !$0.exists } ?? requests.withLock(\.isEmpty) }

    /// Finishes unfinished saves, and waits for running processes that are about to finish their own
    /// saves.
    ///
    /// - Throws: The same errors as ``finishBeforeReading()``.
    func finish() throws(StoreError) {
        try redo()
        guard let file else { return }
        try TurnExecutor.whileWaiting { () throws(StoreError) in try recovery.settle(file) }
    }

    /// Runs a closure while no save to several of the stores is unfinished.
    ///
    /// - Throws: The errors of the closure and of ``SaveRecovery/whileSettled(_:mayFinish:_:)``.
    func whileFinished<Result>(
        _ files: [PendingSaveFile], mayFinish: Bool, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try recovery.whileSettled(files, mayFinish: mayFinish, body)
    }

    /// Makes an in-memory store write the requests that it refused before.
    private func redo() throws(StoreError) {
        while let request = requests.withLock({ $0.first }) {
            do {
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

import CairnSaveJournal
import CairnStore
import CairnThreads
import Synchronization

/// What one store has still to take of saves that have taken place: of one over several stores that was
/// interrupted, by whichever process, and of one that a store in memory refused.
///
/// Nothing is read from the store or saved to it before it has taken that.
final class UnfinishedSaves: Sendable {
    /// `nil` if the store is no file.
    let file: PendingSaveFile?
    private let store: any PersistentStore
    private let recovery: SaveRecovery
    private let isReadOnly: Bool

    private struct State {
        /// The state of the store at which nothing was left to do.
        var settled: StoreGeneration?
        /// What a store without a file has still to take.
        var requests: [SaveRequest] = []
    }
    private let state = Mutex(State())

    init(of store: any PersistentStore, recovery: SaveRecovery) {
        self.store = store
        self.recovery = recovery
        isReadOnly = store.request.isReadOnly
        file = store is any FileStore ? PendingSaveFile(of: store.request.location) : nil
    }

    /// Notes that the store has to take its part of a save whose journal was written, or, if the store is
    /// no file, this request.
    func add(_ request: SaveRequest) {
        state.withLock { state in
            state.settled = nil
            if file == nil { state.requests.append(request) }
        }
    }

    /// Finishes what is unfinished before a state is read.
    ///
    /// Costs nothing but a lock if the state is the one that was asked about last, and otherwise one
    /// call of the system. A save that a live process is about to finish is not waited for: the state is
    /// whole by itself.
    ///
    /// - Returns: whether the store may have a newer state by now.
    /// - Throws: `.savePending`, `.saveInDoubt`, and as ``SaveRecovery/settle(_:)``.
    func finish(before snapshot: any StoreSnapshot) throws(StoreError) -> Bool {
        let generation = snapshot.generation
        let (isSettled, hasRequests) = state.withLock {
            ($0.settled == generation, !$0.requests.isEmpty)
        }
        if hasRequests {
            try redo()
            return true
        }
        if isSettled { return false }
        guard let file, file.exists else {
            state.withLock { $0.settled = generation }
            return false
        }
        if isReadOnly { return false }
        return try TurnExecutor.whileWaiting { () throws(StoreError) in
            try recovery.settleIfFree(file)
        }
    }

    /// Whether something is unfinished. Costs one call of the system.
    var isEmpty: Bool {
        if state.withLock({ !$0.requests.isEmpty }) { return false }
        return !(file?.exists ?? false)
    }

    /// Finishes what is unfinished, and waits for live processes that are at it.
    ///
    /// - Throws: as ``finish(before:)``.
    func finish() throws(StoreError) {
        try redo()
        guard let file else { return }
        state.withLock { $0.settled = nil }
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
        while let request = state.withLock({ $0.requests.first }) {
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
            state.withLock { if !$0.requests.isEmpty { $0.requests.removeFirst() } }
        }
    }
}

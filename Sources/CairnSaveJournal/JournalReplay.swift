import CairnFiles
import CairnStore

/// Saves a journal's requests to those of its stores that do not have the save yet.
struct JournalReplay {
    let recovery: SaveRecovery
    let files: SaveFiles
    let journal: SaveFile

    /// Finishes the save, and removes its files.
    ///
    /// Before the first store is written, all stores without the save are locked.
    ///
    /// - Throws: the errors of ``SaveRecovery/settle(_:)``.
    func run() throws(StoreError) {
        guard let layouts = journal.body.layouts else {
            throw files.doubt("the model in its journal is not valid")
        }
        var opened = OpenedParticipants(recovery: recovery, files: files, layouts: layouts)
        defer { opened.close() }
        var lacking: [(store: any PersistentStore, request: SaveRequest)] = []
        for (index, (participant, file)) in files.participants.enumerated() {
            guard let store = try opened.open(at: index) else { continue }
            switch try opened.outcome(of: journal.id, in: store) {
            case .saved:
                // The save may have been committed without making it durable.
                try attempting(store) { () throws(StoreError) in try store.synchronize() }
                continue
            case .forgotten where !file.exists:
                // The store's file was removed after the store had the save. It has had many other
                // saves since.
                continue
            case .forgotten:
                throw files.doubt(
                    "\(store.request.location) no longer knows whether it contains the save")
            case .notSaved: break
            }
            let decoder = RequestDecoder(layouts: layouts, store: store.number)
            guard var request = decoder.decode(journal.body.requests[index]) else {
                throw files.doubt("the part of \(participant.path) in its journal cannot be read")
            }
            request.id = journal.id
            lacking.append((store, request))
        }
        try save(lacking)
        // Stores that were left out can find the journal later through their pointers.
        try files.drop(but: opened.leftOut)
    }

    private func save(
        _ lacking: [(store: any PersistentStore, request: SaveRequest)]
    ) throws(StoreError) {
        var transactions: [any SaveTransaction] = []
        // Rolling back has no effect on transactions that were committed.
        defer { for transaction in transactions { transaction.rollback() } }
        for (store, _) in lacking {
            transactions.append(
                try attempting(store) { () throws(StoreError) in
                    try store.beginSave()
                })
        }
        for ((store, request), transaction) in zip(lacking, transactions) {
            try attempting(store) { () throws(StoreError) in try transaction.prepare(request) }
        }
        for ((store, _), transaction) in zip(lacking, transactions) {
            try attempting(store) { () throws(StoreError) in _ = try transaction.commit() }
        }
    }

    /// Runs a step of the save. If a store was changed by others in the meantime, it cannot be
    /// given its part of the save any more. All other failures are treated as temporary.
    private func attempting<Result>(
        _ store: any PersistentStore, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            let location = store.request.location
            switch error {
            case .rowConflicts, .referenceConflicts, .uniquenessConflicts:
                throw files.doubt(
                    "\(location) has since been changed by a program that does not support save journals"
                )
            case .unsupported, .unsupportedValue, .keysExhausted:
                throw files.doubt("\(location) refused its part of the save: \(error.description)")
            case .cancelled, .deadlineExceeded: throw error
            default:
                throw .savePending(
                    files.interruption("\(location) cannot be written: \(error.description)"))
            }
        }
    }
}

import CairnFiles
import CairnStore

/// Saves a journal's requests to those of its stores that do not have the save yet.
struct JournalReplay {
    private typealias Part = (store: any PersistentStore, request: SaveRequest)

    let recovery: SaveRecovery
    let files: SaveFiles
    let journal: SaveFile

    /// Finishes the save, and removes its files.
    ///
    /// Before the first store is written, all stores without the save are locked.
    ///
    /// - Returns: the stores that do not contain the save, or may not contain it, because the doubt
    ///   was overridden.
    /// - Throws: the errors of ``SaveRecovery/settle(_:)``.
    func run() throws(StoreError) -> [StoreLocation] {
        guard let layouts = journal.body.layouts else {
            throw files.doubt("the model in its journal is not valid")
        }
        var opened = OpenedParticipants(recovery: recovery, files: files, layouts: layouts)
        defer { opened.close() }
        var (lacking, without): ([Part], [StoreLocation]) = ([], [])
        for (index, (_, file)) in files.participants.enumerated() {
            guard let store = try opened.open(at: index) else {
                without.append(file.location)
                continue
            }
            let outcome = try opened.outcome(of: journal.id, in: store)
            switch outcome {
            case .saved:
                // The save may have been committed without making it durable.
                try opened.attempting(store) { () throws(StoreError) in try store.synchronize() }
                continue
            case .forgotten where !file.exists:
                // The store's file was removed after the store had the save. It has had many other
                // saves since.
                continue
            case .forgotten where !recovery.overridesDoubt:
                throw files.doubt(
                    "\(store.request.location) no longer knows whether it contains the save")
            case .forgotten, .notSaved: break
            }
            let request = try opened.request(
                at: index, of: journal, layouts, for: store, answering: outcome)
            lacking.append((store, request))
        }
        without += try save(lacking, opened)
        // Stores that were left out can find the journal later through their pointers.
        try files.drop(but: opened.leftOut)
        return without
    }

    /// Returns the stores that refused their part and are unchanged, because the doubt is
    /// overridden. A store whose rows are not those that the save changes refuses it.
    private func save(
        _ lacking: [Part], _ opened: OpenedParticipants
    ) throws(StoreError) -> [StoreLocation] {
        var transactions: [any SaveTransaction] = []
        // Rolling back has no effect on transactions that were committed.
        defer { for transaction in transactions { transaction.rollback() } }
        for (store, _) in lacking {
            transactions.append(
                try opened.attempting(store) { () throws(StoreError) in try store.beginSave() })
        }
        var (prepared, refusing): ([Int], [StoreLocation]) = ([], [])
        for (index, (store, request)) in lacking.enumerated() {
            do throws(StoreError) {
                try opened.attempting(store) { () throws(StoreError) in
                    try transactions[index].prepare(request)
                }
                prepared.append(index)
            } catch {
                guard case .saveInDoubt = error, recovery.overridesDoubt else { throw error }
                transactions[index].rollback()
                refusing.append(store.request.location)
            }
        }
        for index in prepared {
            try opened.attempting(lacking[index].store) { () throws(StoreError) in
                _ = try transactions[index].commit()
            }
        }
        return refusing
    }
}

import CairnStore

extension OpenedParticipants {
    private typealias Part = (store: any PersistentStore, request: SaveRequest)

    /// Saves a journal's requests to those of its stores that do not have the save yet, and removes the files of
    /// the save.
    ///
    /// Before the first store is written, all stores without the save are locked.
    ///
    /// - Returns: the stores that do not contain the save, or may not contain it, because the doubt
    ///   was overridden.
    /// - Throws: the errors of ``SaveRecovery/settle(_:)``.
    mutating func replay(_ journal: SaveFile) throws(StoreError) -> [StoreLocation] {
        guard let layouts else { throw files.doubt("the model in its journal is not valid") }
        var (lacking, without): ([Part], [StoreLocation]) = ([], [])
        for (index, (_, file)) in files.participants.enumerated() {
            guard let store = try open(at: index) else {
                without.append(file.location)
                continue
            }
            let outcome = try self.outcome(of: journal.id, in: store)
            switch outcome {
            case .saved:
                // The save may have been committed without making it durable.
                try attempting(store) { () throws(StoreError) in try store.synchronize() }
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
            let request = try self.request(
                at: index, of: journal, layouts, for: store, answering: outcome)
            lacking.append((store, request))
        }
        without += try save(to: lacking)
        // Stores that were left out can find the journal later through their pointers.
        try files.drop(but: leftOut)
        return without
    }

    /// Returns the stores that refused their part and are unchanged, because the doubt is
    /// overridden. A store whose rows are not those that the save changes refuses it.
    private func save(to lacking: [Part]) throws(StoreError) -> [StoreLocation] {
        var transactions: [any SaveTransaction] = []
        // Rolling back has no effect on transactions that were committed.
        defer { for transaction in transactions { transaction.rollback() } }
        for (store, _) in lacking {
            transactions.append(
                try attempting(store) { () throws(StoreError) in try store.beginSave() })
        }
        var (prepared, refusing): ([Int], [StoreLocation]) = ([], [])
        for (index, (store, request)) in lacking.enumerated() {
            do throws(StoreError) {
                try attempting(store) { () throws(StoreError) in
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
            try attempting(lacking[index].store) { () throws(StoreError) in
                _ = try transactions[index].commit()
            }
        }
        return refusing
    }

    // MARK: Without a journal

    /// Removes the files of a save that no store has, or that all stores have.
    ///
    /// - Parameters:
    ///   - id: the name of the save, from the pointer file.
    ///   - loss: what happened to the journal.
    ///   - isDamaged: whether the journal is damaged, so that the save may have taken place.
    /// - Returns: the stores that do not contain the save although others do, or may not contain it,
    ///   because the doubt was overridden.
    /// - Throws: `.saveInDoubt` if only some of the stores have the save, or if a store cannot be
    ///   asked.
    mutating func decideWithoutJournal(
        _ id: SaveID, loss: String, isDamaged: Bool
    ) throws(StoreError) -> [StoreLocation] {
        var (having, lacking): ([StoreLocation], [StoreLocation]) = ([], [])
        var unknown: [StoreLocation] = []
        for (index, (_, file)) in files.participants.enumerated() {
            guard let store = try open(at: index) else {
                unknown.append(file.location)
                continue
            }
            switch try outcome(of: id, in: store) {
            case .saved: having.append(store.request.location)
            case .notSaved: lacking.append(store.request.location)
            case .forgotten where files.hasFirstPointer && !file.exists:
                having.append(store.request.location)
            case .forgotten:
                guard recovery.overridesDoubt else {
                    throw files.doubt(
                        "\(store.request.location) no longer knows whether it contains the save")
                }
                unknown.append(store.request.location)
            }
        }
        if !recovery.overridesDoubt {
            if !having.isEmpty, !lacking.isEmpty { throw mixed(having, lacking, loss) }
            if having.isEmpty, isDamaged { throw files.doubt(loss) }
        }
        try files.drop(but: leftOut)
        return unknown + (having.isEmpty ? [] : lacking)
    }

    private func mixed(
        _ having: [StoreLocation], _ lacking: [StoreLocation], _ loss: String
    ) -> StoreError {
        files.doubt(
            "\(loss), and"
                + " \(having.map(\.description).joined(separator: ", "))"
                + " \(having.count == 1 ? "contains" : "contain") the save, while"
                + " \(lacking.map(\.description).joined(separator: ", "))"
                + " \(lacking.count == 1 ? "does" : "do") not")
    }
}

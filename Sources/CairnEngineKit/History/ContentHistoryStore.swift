import CairnStore

/// A store with a history whose newest ``StoreContent`` can be read. The content has the history, so the
/// calls of ``CairnStore/HistoryStore`` have default implementations.
public protocol ContentHistoryStore: HistoryStore {
    /// Returns the content of the newest state, including saves by other handles and processes.
    ///
    /// - Throws: the errors of ``CairnStore/PersistentStore/snapshot()``.
    func newestContent() throws(StoreError) -> StoreContent
}

extension ContentHistoryStore {
    /// Returns the position of the newest transaction.
    ///
    /// - Throws: the errors of ``newestContent()``; `.historyUnavailable`.
    public func newestHistoryPosition() throws(StoreError) -> HistoryPosition? {
        try newestContent().requireHistory().newest
    }

    /// Returns transactions, which are in memory. A history keeps at least its newest 100,000 changes.
    ///
    /// - Throws: the errors of ``newestContent()``; `.historyUnavailable`.
    public func history(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        let history = try newestContent().requireHistory()
        do {
            return try history.transactions(after: position, limit: limit)
        } catch {
            throw .historyUnavailable(request.location, error)
        }
    }

    /// Removes transactions with a save.
    ///
    /// - Throws: the errors of ``CairnStore/PersistentStore/beginSave()`` and of a commit;
    ///   `.historyUnavailable`.
    public func purgeHistory(before position: HistoryPosition) throws(StoreError) {
        var request = SaveRequest()
        request.purgesHistoryBefore = position
        try changeHistory(request)
    }

    /// Adds transactions of another store with a save. If they have too many changes, only the newest ones
    /// are kept.
    ///
    /// - Throws: the errors of ``purgeHistory(before:)``.
    public func addHistory(_ transactions: [PersistentHistoryTransaction]) throws(StoreError) {
        var request = SaveRequest()
        request.addedHistory = transactions
        try changeHistory(request)
    }

    private func changeHistory(_ request: SaveRequest) throws(StoreError) {
        _ = try newestContent().requireHistory()
        let save = try beginSave()
        defer { save.rollback() }
        try save.prepare(request)
        _ = try save.commit()
    }
}

extension StoreContent {
    /// - Throws: `.historyUnavailable` if the store keeps no history.
    fileprivate func requireHistory() throws(StoreError) -> HistoryList {
        if let history { return history }
        throw .historyUnavailable(location, .notTracked)
    }
}

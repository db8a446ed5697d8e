import CairnEngineKit
import CairnStore

extension PostgreSQLStore: HistoryStore {
    /// Asks the server, in one round trip. Transactions of saves that are under way, and those after them, are left out.
    ///
    /// - Throws: `.closed`, `.historyUnavailable`, `.engineFailure`.
    public func newestHistoryPosition() throws(StoreError) -> HistoryPosition? {
        try historyTable.read(pool, after: nil, limit: 0).newest
    }

    /// Reads transactions in one round trip. Transactions of saves that are under way, and those after them, are left
    /// out.
    ///
    /// - Throws: `.closed`, `.historyUnavailable`, `.corrupt`, `.engineFailure`.
    public func history(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        let answer = try historyTable.read(pool, after: position?.number, limit: limit)
        if let position {
            var found = answer.found
            found?.number = position.number
            if let gap = position.gap(found: found, newest: answer.newest) {
                throw .historyUnavailable(request.location, gap)
            }
        }
        return answer.transactions
    }

    /// Removes transactions, without waiting for saves.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.historyUnavailable`, `.engineFailure`.
    public func purgeHistory(before position: HistoryPosition) throws(StoreError) {
        try requireWritable()
        _ = try newestHistoryPosition()
        _ = try pool.run([historyTable.purging(before: position)], for: "purge the history")
    }

    /// Adds transactions while no save is under way.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.historyUnavailable`, `.busy`, `.engineFailure`, `.commitOutcomeUnknown`.
    public func addHistory(
        _ transactions: [PersistentHistoryTransaction]
    ) throws(StoreError) {
        try requireWritable()
        _ = try newestHistoryPosition()
        if transactions.isEmpty { return }
        try SaveLocks(schema: schema, timeout: timeout).changeAlone(
            historyTable.adding(transactions), pool, for: "add to the history")
    }
}

internal import CairnStack
internal import CairnStore
internal import Foundation

/// The histories of the container's stores: what each save changed, when, and by whom.
///
/// A store keeps a history unless its configuration has the option `tracksHistory` with the value `false`.
extension ModelContext {
    /// The number of transactions that are in memory at a time beside those that match.
    private static let pageCount = 100

    /// Fetches transactions of the container's stores. Those of several stores are sorted by their times.
    ///
    /// The condition `$0.token > token`, alone or as a part of a conjunction, chooses where reading begins. Other
    /// conditions are evaluated in memory for each transaction from there on.
    ///
    /// - Throws: `GraphError.store` with `.historyUnavailable` if no store keeps a history, if transactions after the
    ///   token have been deleted, or if the token does not belong to the history of one of the stores; the errors of
    ///   evaluating the predicate.
    public func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        var found: [DefaultHistoryTransaction] = []
        try readHistory(after: descriptor.tokenBeforeMatches) { transaction in
            if try descriptor.predicate?.evaluate(transaction) ?? true { found.append(transaction) }
            return found.count < descriptor.limit || !descriptor.sortBy.isEmpty
        }
        if descriptor.sortBy.isEmpty { return found }
        return Array(found.sorted(using: descriptor.sortBy).prefix(descriptor.limit))
    }

    /// Deletes the oldest transactions of each store, up to the first that does not match a descriptor. The newest
    /// transaction of a store always stays.
    ///
    /// A history has no gaps, so a transaction that matches stays as long as an older one of its store does. The sort
    /// order of the descriptor has no effect. Its limit is that of the transactions to delete.
    ///
    /// - Throws: `GraphError.store` with `.historyUnavailable` if no store keeps a history, or with the reason why a
    ///   store cannot be written; the errors of evaluating the predicate.
    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        var kept = PersistentHistoryToken()
        var finished: Set<String> = []
        var count = 0
        try readHistory(after: nil) { transaction in
            let store = transaction.storeIdentifier
            guard !finished.contains(store) else { return true }
            kept.positions[store] = transaction.token.position.positions[store]
            if count < descriptor.limit, try descriptor.predicate?.evaluate(transaction) ?? true {
                count += 1
            } else {
                finished.insert(store)
            }
            return finished.count < stack.coordinator.persistentStores.count
        }
        try stack.coordinator.deleteHistory(before: kept)
    }

    /// Calls a closure with each transaction after a token, until it returns `false`.
    private func readHistory(
        after token: DefaultHistoryToken?,
        _ body: (DefaultHistoryTransaction) throws -> Bool
    ) throws {
        var token = token?.position
        while true {
            let page = try stack.coordinator.history(after: token, limit: Self.pageCount)
            for transaction in page
            where try !body(DefaultHistoryTransaction(transaction, stack)) { return }
            guard let last = page.last else { return }
            token = last.token
        }
    }
}

extension ModelContainer {
    /// Returns the transactions of the container's stores after a token, and then each new one, of this process and of
    /// others, once and in order. An extension of SwiftData's interface.
    ///
    /// ```swift
    /// for try await transaction in container.followHistory(after: token) {
    ///     try await upload(transaction.changes)
    ///     token = transaction.token
    /// }
    /// ```
    ///
    /// The sequence reads at most 100 transactions at a time, on Cairn's own threads, and only when its consumer asks for
    /// the next. It ends when its task is cancelled, and throws the errors of ``ModelContext/fetchHistory(_:)``.
    ///
    /// - Parameter token: The token to begin after. `nil` means the oldest transactions that the stores have.
    public func followHistory(
        after token: DefaultHistoryToken? = nil
    ) -> some AsyncSequence<DefaultHistoryTransaction, any Error> & Sendable {
        let stack = stack
        return stack.coordinator.followHistory(after: token?.position).map {
            transaction throws -> DefaultHistoryTransaction in
            DefaultHistoryTransaction(transaction, stack)
        }
    }
}

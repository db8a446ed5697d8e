internal import CairnStore
public import Foundation

/// A transaction of the history of a container's store: what one save changed, when, and by whom.
public struct DefaultHistoryTransaction: HistoryTransaction {
    /// The number of the transaction in its store. Later transactions have greater numbers.
    public let transactionIdentifier: Int64
    /// The identifier of the store.
    public let storeIdentifier: String
    /// The time of the save, by the clock of the machine that saved.
    public let timestamp: Date
    /// The author of the save. `nil` if the context had none.
    public let author: String?
    /// The name of the process that saved.
    public let processIdentifier: String
    /// The bundle that saved. In transactions that were made on Linux, the name of the process.
    public let bundleIdentifier: String
    /// The changes: deletions, then updates, then insertions. Each model occurs at most once.
    public let changes: [HistoryChange]
    /// The token after this transaction. It also covers what was read of other stores before it.
    public let token: DefaultHistoryToken

    init(_ transaction: PersistentHistoryTransaction, _ stack: ModelStack) {
        transactionIdentifier = transaction.transactionNumber
        storeIdentifier = transaction.storeID
        timestamp = transaction.timestamp
        author = transaction.author
        processIdentifier = transaction.processID
        bundleIdentifier = transaction.bundleID
        token = DefaultHistoryToken(transaction.token)
        changes = zip(1..., transaction.changes).compactMap { number, change in
            HistoryChange(change, number, of: transaction, stack)
        }
    }

    /// The transaction's identifier. Those of several stores may be equal.
    public var id: Int64 { transactionIdentifier }

    private var position: HistoryPosition? { token.position.positions[storeIdentifier] }

    /// Returns whether both are the same transaction of a store.
    public static func == (left: Self, right: Self) -> Bool {
        left.storeIdentifier == right.storeIdentifier && left.position == right.position
    }

    /// Hashes the store and the position in its history.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storeIdentifier)
        hasher.combine(position)
    }
}

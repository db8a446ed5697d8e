public import Foundation

/// What one save changed in one store, when, and by whom.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
    /// The type of the transaction's token.
    associatedtype TokenType: Comparable, Hashable, Sendable
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

    /// The time of the save, by the clock of the machine that saved.
    var timestamp: Date { get }
    /// The changes of the save.
    var changes: [HistoryChange] { get }
    /// How far a program has read that has handled the transaction.
    var token: TokenType { get }
    /// The identifier of the transaction in its store.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The identifier of the store.
    var storeIdentifier: String { get }
    /// The author of the save. `nil` if the context had none.
    var author: String? { get }
}

public import Foundation

/// The transactions to fetch, and their order.
///
/// ```swift
/// let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
///     predicate: #Predicate { $0.token > token && $0.author == "widget" })
/// let transactions = try context.fetchHistory(descriptor)
/// ```
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
    /// The condition that transactions must meet. `nil` means all transactions.
    ///
    /// Conditions are evaluated by Swift's rules: `author != "widget"` is true for a transaction without an author.
    public var predicate: Predicate<TransactionType>?
    /// The sort order, the most significant descriptor first. If it is empty, older transactions come first.
    public var sortBy: [SortDescriptor<TransactionType>]
    /// The maximum number of transactions. 0 means no limit.
    public var fetchLimit: UInt64 = 0

    /// Creates a descriptor without a limit.
    ///
    /// - Parameters:
    ///   - predicate: The condition that transactions must meet. `nil` means all transactions.
    ///   - sortBy: The sort order, the most significant descriptor first.
    public init(
        predicate: Predicate<TransactionType>? = nil,
        sortBy: [SortDescriptor<TransactionType>] = []
    ) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

extension HistoryDescriptor<DefaultHistoryTransaction> {
    var limit: Int { fetchLimit == 0 ? .max : Int(clamping: fetchLimit) }

    /// A token before all transactions that match. `nil` if the predicate contains none.
    var tokenBeforeMatches: DefaultHistoryToken? {
        (predicate?.expression as? any TokenCondition)?.lowerBound
    }
}

/// A part of a predicate that only transactions after a token can meet.
private protocol TokenCondition {
    /// The token. `nil` if the part has another form than `$0.token > token`.
    var lowerBound: DefaultHistoryToken? { get }
}

extension PredicateExpressions.Conjunction: TokenCondition {
    fileprivate var lowerBound: DefaultHistoryToken? {
        (lhs as? any TokenCondition)?.lowerBound ?? (rhs as? any TokenCondition)?.lowerBound
    }
}

extension PredicateExpressions.Comparison: TokenCondition {
    private typealias TokenPath = PredicateExpressions.KeyPath<
        PredicateExpressions.Variable<DefaultHistoryTransaction>, DefaultHistoryToken
    >

    fileprivate var lowerBound: DefaultHistoryToken? {
        guard op == .greaterThan, let path = lhs as? TokenPath, path.keyPath == \.token else {
            return nil
        }
        return (rhs as? PredicateExpressions.Value<DefaultHistoryToken>)?.value
    }
}

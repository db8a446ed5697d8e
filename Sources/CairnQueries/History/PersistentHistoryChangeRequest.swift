import CairnModel
import CairnObjects
import CairnStack
import CairnStore
import Foundation

/// A request for the history of stores, or for its removal, in Core Data's form.
///
/// ```swift
/// let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
/// for transaction in try context.execute(request).transactions { … }
/// ```
///
/// `PersistentStoreCoordinator.history(after:limit:fromStores:)` does the same with less.
public struct PersistentHistoryChangeRequest: Sendable {
    /// What the request does, from where on.
    private enum Action: Sendable {
        case fetchAfterToken(PersistentHistoryToken?)
        case fetchAfterDate(Date)
        case deleteBeforeToken(PersistentHistoryToken?)
        case deleteBeforeDate(Date)
    }

    private let action: Action
    /// What the result contains. The default is `.transactionsAndChanges`.
    public var resultType = PersistentHistoryResultType.transactionsAndChanges
    /// The stores. `nil` means all stores that keep a history.
    public var affectedStores: [any PersistentStore]?
    /// Which transactions or changes are fetched. If `nil`, all of them are.
    public var fetchRequest: PersistentHistoryFetchRequest?

    private init(_ action: Action) { self.action = action }

    /// Creates a request for the transactions after a token, or for all that the stores have.
    public static func fetchHistory(after token: PersistentHistoryToken?) -> Self {
        Self(.fetchAfterToken(token))
    }

    /// Creates a request for the transactions after another one, or for all that the stores have.
    @_disfavoredOverload
    public static func fetchHistory(after transaction: PersistentHistoryTransaction?) -> Self {
        Self(.fetchAfterToken(transaction?.token))
    }

    /// Creates a request for the transactions after a time.
    public static func fetchHistory(after date: Date) -> Self { Self(.fetchAfterDate(date)) }

    /// Creates a request for the transactions or changes that a fetch request chooses from all that the
    /// stores have.
    public static func fetchHistory(withFetch fetchRequest: PersistentHistoryFetchRequest) -> Self {
        var request = Self(.fetchAfterToken(nil))
        request.fetchRequest = fetchRequest
        return request
    }

    /// Creates a request that removes the transactions before a token. `nil` removes nothing.
    public static func deleteHistory(before token: PersistentHistoryToken?) -> Self {
        Self(.deleteBeforeToken(token))
    }

    /// Creates a request that removes the transactions before another one. `nil` removes nothing.
    @_disfavoredOverload
    public static func deleteHistory(before transaction: PersistentHistoryTransaction?) -> Self {
        Self(.deleteBeforeToken(transaction?.token))
    }

    /// Creates a request that removes the transactions before a time. The newest transaction of each
    /// store stays.
    public static func deleteHistory(before date: Date) -> Self { Self(.deleteBeforeDate(date)) }

    /// Executes the request.
    ///
    /// - Throws: `.predicate`; the errors of the coordinator's calls for histories.
    fileprivate func run(
        on coordinator: PersistentStoreCoordinator
    ) throws(GraphError) -> PersistentHistoryResult {
        switch action {
        case .fetchAfterToken(let token): return try fetch(after: token, from: coordinator)
        case .fetchAfterDate(let date):
            return try fetch(after: nil, from: coordinator) { $0.timestamp > date }
        case .deleteBeforeToken(nil): break
        case .deleteBeforeToken(let token?):
            try coordinator.deleteHistory(before: token, fromStores: affectedStores)
        case .deleteBeforeDate(let date):
            try coordinator.deleteHistory(before: date, fromStores: affectedStores)
        }
        return PersistentHistoryResult(resultType: .statusOnly, transactions: [])
    }

    /// Reads page by page, so that transactions that are left out do not take memory.
    private func fetch(
        after token: PersistentHistoryToken?, from coordinator: PersistentStoreCoordinator,
        where isLate: (PersistentHistoryTransaction) -> Bool = { _ in true }
    ) throws(GraphError) -> PersistentHistoryResult {
        let fetchRequest = fetchRequest ?? PersistentHistoryTransaction.fetchRequest
        let predicate = try fetchRequest.boundPredicate()
        let limit = fetchRequest.fetchLimit > 0 ? fetchRequest.fetchLimit : .max
        var (found, token, rest) = ([PersistentHistoryTransaction](), token, limit)
        while rest > 0 {
            let page = try coordinator.history(
                after: token, limit: 1_000, fromStores: affectedStores)
            guard let last = page.last else { break }
            let chosen = try fetchRequest.chosen(
                of: page.filter(isLate), by: predicate, changing: coordinator.managedObjectModel)
            for var transaction in chosen where rest > 0 {
                if fetchRequest.isOverChanges {
                    transaction.changes = Array(transaction.changes.prefix(rest))
                    rest -= transaction.changes.count
                } else {
                    rest -= 1
                }
                found.append(transaction)
            }
            token = last.token
        }
        return PersistentHistoryResult(
            resultType: resultType, transactions: found, countsChanges: fetchRequest.isOverChanges)
    }
}

/// What the result of a ``PersistentHistoryChangeRequest`` contains. The raw values are Core Data's.
public enum PersistentHistoryResultType: Int, Sendable {
    /// Only whether the request was executed.
    case statusOnly = 0
    /// The IDs of the changed objects.
    case objectIDs
    /// The number of transactions, or of changes if the fetch request is over changes.
    case count
    /// The transactions without their changes.
    case transactionsOnly
    /// The changes of all transactions.
    case changesOnly
    /// The transactions with their changes.
    case transactionsAndChanges
}

/// The result of a ``PersistentHistoryChangeRequest``.
public struct PersistentHistoryResult: Sendable {
    /// The type that the request asked for.
    public let resultType: PersistentHistoryResultType
    /// The transactions, the oldest first. They have no changes if the request did not ask for them.
    public let transactions: [PersistentHistoryTransaction]
    /// The changes of all transactions, in order.
    public let changes: [PersistentHistoryChange]
    private let countsChanges: Bool

    fileprivate init(
        resultType: PersistentHistoryResultType, transactions: [PersistentHistoryTransaction],
        countsChanges: Bool = false
    ) {
        self.resultType = resultType
        self.countsChanges = countsChanges
        changes = transactions.flatMap(\.changes)
        self.transactions = transactions.map { transaction in
            var transaction = transaction
            if resultType == .transactionsOnly { transaction.changes = [] }
            return transaction
        }
    }

    /// The IDs of the changed objects, each once, in the order of their first changes.
    public var objectIDs: [ObjectID] {
        var seen: Set<ObjectID> = []
        return changes.map(\.changedObjectID).filter { seen.insert($0).inserted }
    }

    /// What Core Data returns for the type: a Boolean, an array of IDs, a number, or an array of
    /// transactions or changes.
    public var result: Any? {
        switch resultType {
        case .statusOnly: true
        case .objectIDs: objectIDs
        case .count: countsChanges ? changes.count : transactions.count
        case .changesOnly: changes
        case .transactionsOnly, .transactionsAndChanges: transactions
        }
    }
}

extension ManagedObjectContext {
    /// Fetches or removes the history of the coordinator's stores.
    ///
    /// - Throws: `.notConnected`; `.predicate` if the predicate of the fetch request has an unknown key, or
    ///   does not fit in another way; `.unknownStore`; `.store`, with `.historyUnavailable` if a store keeps
    ///   no history, or if its history cannot be read after the request's token.
    @discardableResult
    public func execute(
        _ request: PersistentHistoryChangeRequest
    ) throws(GraphError) -> PersistentHistoryResult {
        try request.run(on: try coordinatorForHistory())
    }

    private func coordinatorForHistory() throws(GraphError) -> PersistentStoreCoordinator {
        guard let coordinator = persistentStoreCoordinator else { throw .notConnected }
        return coordinator
    }

    /// Updates the context's objects with the changes of transactions that other contexts or processes
    /// saved. See ``mergeChanges(_:)``. The objects get the values that the stores have now.
    ///
    /// - Throws: the errors of ``mergeChanges(_:)``.
    public func mergeChanges(
        fromHistory transactions: [PersistentHistoryTransaction]
    ) throws(GraphError) {
        try mergeChanges(ObjectIDChanges(transactions))
    }

    /// Returns the transactions after a token that changed objects of a class, with only these changes.
    /// Objects of subclasses are included. All returned transactions are in memory.
    ///
    /// The token of the last transaction does not cover later transactions without such changes, which
    /// the next call looks at again.
    ///
    /// - Throws: `.notConnected`; `.unknownEntity`, `.classOfSeveralEntities`, `.classDoesNotFit`;
    ///   `.store`, with `.historyUnavailable` as in `execute(_:)`.
    public func history<Object: ManagedObject>(
        of objectClass: Object.Type, after token: PersistentHistoryToken? = nil
    ) throws(GraphError) -> [PersistentHistoryTransaction] {
        let entity = try kinds.entity(named: nil, as: objectClass)
        let numbers = Set(entity.hierarchy.map(\.number))
        let coordinator = try coordinatorForHistory()
        var (found, token) = ([PersistentHistoryTransaction](), token)
        while true {
            let page = try coordinator.history(after: token, limit: 1_000)
            guard let last = page.last else { return found }
            for var transaction in page {
                transaction.changes.removeAll { !numbers.contains($0.changedObjectID.entity) }
                if !transaction.changes.isEmpty { found.append(transaction) }
            }
            token = last.token
        }
    }
}

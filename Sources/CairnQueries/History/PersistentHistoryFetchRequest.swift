import CairnEngineKit
import CairnModel
import CairnStack
import CairnStore

/// Chooses transactions or changes for a ``PersistentHistoryChangeRequest``.
///
/// ```swift
/// request.fetchRequest = PersistentHistoryTransaction.fetchRequest
/// request.fetchRequest?.predicate = try FetchPredicate(format: "author != %@", "import")
/// ```
///
/// Predicates have the same meaning as in a fetch of objects, and these keys:
///
/// | Transaction | is | | Change | is |
/// |---|---|---|---|---|
/// | `author`, `contextName` | text, or `nil` | | `changeType` | 0 insert, 1 update, 2 delete |
/// | `processID`, `bundleID`, `storeID` | text | | `changedEntity` | the name of the object's entity |
/// | `timestamp` | a date | | `changedObjectID` | an object ID |
/// | `transactionNumber` | an integer | | `transaction` | leads to the keys of the transaction |
/// | `changes` | leads to the keys of the changes | | | |
public struct PersistentHistoryFetchRequest: Sendable {
    /// Whether single changes are chosen, and not whole transactions.
    let isOverChanges: Bool
    /// The condition that transactions or changes must meet. If `nil`, all are fetched.
    public var predicate: FetchPredicate?
    /// The maximum number of transactions or changes, the oldest first. 0 means no limit.
    public var fetchLimit = 0

    fileprivate init(isOverChanges: Bool) { self.isOverChanges = isOverChanges }
}

extension PersistentHistoryTransaction {
    /// A fetch request over transactions, which are fetched with all of their changes.
    public static var fetchRequest: PersistentHistoryFetchRequest {
        PersistentHistoryFetchRequest(isOverChanges: false)
    }
}

extension PersistentHistoryChange {
    /// A fetch request over changes. Transactions are fetched with the chosen changes only, and left out if
    /// none of their changes was chosen.
    public static var fetchRequest: PersistentHistoryFetchRequest {
        PersistentHistoryFetchRequest(isOverChanges: true)
    }
}

extension PersistentHistoryFetchRequest {
    /// Checks the predicate. `nil` if the request has none.
    ///
    /// - Throws: `.predicate`.
    func boundPredicate() throws(GraphError) -> BoundPredicate? {
        guard let predicate else { return nil }
        let name = isOverChanges ? "PersistentHistoryChange" : "PersistentHistoryTransaction"
        do {
            guard let entity = try HistoryObjects.model.get().entity(named: name) else {
                return nil
            }
            return try predicate.bound(to: entity)
        } catch let error as FetchPredicateError {
            throw .predicate(error)
        } catch {
            throw .predicate(.unsupported(expression: name, advice: "\(error)"))
        }
    }

    /// Returns what the predicate chooses of some transactions.
    ///
    /// - Parameters:
    ///   - predicate: What ``boundPredicate()`` returned.
    ///   - objects: The model of the changed objects.
    /// - Throws: `.predicate` with `.matchingLimit`.
    func chosen(
        of transactions: [PersistentHistoryTransaction], by predicate: BoundPredicate?,
        changing objects: ManagedObjectModel
    ) throws(GraphError) -> [PersistentHistoryTransaction] {
        guard isOverChanges || predicate != nil else { return transactions }
        do {
            let source = HistoryObjects(transactions: transactions, objects: objects)
            let filter = try ObjectFilter(predicate ?? .constant(true), source: source)
            var chosen: [PersistentHistoryTransaction] = []
            for (index, transaction) in transactions.enumerated() {
                guard isOverChanges else {
                    if try filter.matches((index, nil)) { chosen.append(transaction) }
                    continue
                }
                var part = transaction
                part.changes = []
                for (number, change) in transaction.changes.enumerated()
                where try filter.matches((index, number)) { part.changes.append(change) }
                if !part.changes.isEmpty { chosen.append(part) }
            }
            return chosen
        } catch {
            throw .predicate(error)
        }
    }
}

/// Transactions and changes as objects that predicates can be evaluated on.
private struct HistoryObjects: EvaluationSource {
    /// The index of a transaction, and of one of its changes or `nil`.
    typealias Object = (transaction: Int, change: Int?)
    typealias Failure = FetchPredicateError

    /// The keys of predicates.
    static let model = Result {
        try ManagedObjectModel([
            EntityDescription(
                "PersistentHistoryTransaction",
                [
                    .attribute("author", .string), .attribute("bundleID", .string),
                    .attribute("contextName", .string), .attribute("processID", .string),
                    .attribute("storeID", .string), .attribute("timestamp", .date),
                    .attribute("transactionNumber", .integer64),
                    .toMany("changes", "PersistentHistoryChange", inverse: "transaction"),
                ]),
            EntityDescription(
                "PersistentHistoryChange",
                [
                    .attribute("changeType", .integer64), .attribute("changedEntity", .string),
                    .toOne("changedObjectID", "ManagedObject"),
                    .toOne("transaction", "PersistentHistoryTransaction", inverse: "changes"),
                ]),
            EntityDescription("ManagedObject"),
        ])
    }

    let transactions: [PersistentHistoryTransaction]
    let objects: ManagedObjectModel

    /// The number of the entity says whether an object is a transaction (1) or a change (2). The key is the
    /// index of the transaction, after that of the change.
    func id(of object: Object) -> ObjectID {
        let entity = EntityNumber(object.change == nil ? 1 : 2)
        let key = Int64(object.change ?? 0) << 32 | Int64(object.transaction)
        return ObjectID(
            store: StoreNumber(rawValue: 0), rootEntity: entity, entity: entity, key: key)
    }

    func objects(for ids: [ObjectID]) -> [Object?] {
        ids.map { id in
            // Changed objects have IDs too, which do not lead to keys.
            guard id.store.rawValue == 0 else { return nil }
            let isChange = id.entity == EntityNumber(2)
            return (Int(id.key & 0xFFFF_FFFF), isChange ? Int(id.key >> 32) : nil)
        }
    }

    func value(of attribute: Attribute, in object: Object) -> Value {
        let transaction = transactions[object.transaction]
        if let index = object.change {
            let change = transaction.changes[index]
            guard attribute.name == "changedEntity" else {
                return .integer(Int64(change.changeType.rawValue))
            }
            return text(objects.entity(numbered: change.changedObjectID.entity)?.name)
        }
        return switch attribute.name {
        case "author": text(transaction.author)
        case "bundleID": .string(transaction.bundleID)
        case "contextName": text(transaction.contextName)
        case "processID": .string(transaction.processID)
        case "storeID": .string(transaction.storeID)
        case "timestamp": .date(transaction.timestamp)
        default: .integer(transaction.transactionNumber)
        }
    }

    private func text(_ text: String?) -> Value { text.map(Value.string) ?? .null }

    func destination(of relationship: Relationship, in object: Object) -> ObjectID? {
        guard relationship.name == "changedObjectID", let index = object.change else {
            return id(of: (object.transaction, nil))
        }
        return transactions[object.transaction].changes[index].changedObjectID
    }

    func members(of relationship: Relationship, in object: Object) -> [ObjectID] {
        transactions[object.transaction].changes.indices.map { id(of: (object.transaction, $0)) }
    }

    func failure(for error: FetchPredicateError) -> FetchPredicateError { error }
}

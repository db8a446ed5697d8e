internal import CairnStore
@_spi(ObservableRerootKeyPath) internal import Swift

/// What a save did to one model.
///
/// ```swift
/// switch change {
/// case .insert(let insert as DefaultHistoryInsert<Trip>): added(insert.changedPersistentIdentifier)
/// case .update(let update as DefaultHistoryUpdate<Trip>): changed(update.updatedAttributes)
/// case .delete(let delete as DefaultHistoryDelete<Trip>): removed(delete.tombstone[\.name])
/// default: break
/// }
/// ```
///
/// The classes of the changes are those of the models, not their superclasses.
public enum HistoryChange: Sendable {
    /// The save added the model.
    case insert(any HistoryInsert)
    /// The save changed properties of the model.
    case update(any HistoryUpdate)
    /// The save removed the model.
    case delete(any HistoryDelete)

    /// The model. A deleted model is not in its store any more.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }

    /// Creates the change of a transaction. Returns `nil` if the schema does not contain the model's entity.
    ///
    /// - Parameters:
    ///   - change: The change as the store has it.
    ///   - number: The number of the change in the transaction.
    ///   - transaction: The transaction.
    ///   - stack: The stores and the entities.
    init?(
        _ change: PersistentHistoryChange, _ number: Int64,
        of transaction: PersistentHistoryTransaction, _ stack: ModelStack
    ) {
        let id = PersistentIdentifier(change.changedObjectID)
        guard let entity = stack.entity(named: id.entityName) else { return nil }
        func make<Model: PersistentModel>(_: Model.Type) -> HistoryChange {
            let transactionNumber = transaction.transactionNumber
            return switch change.changeType {
            case .insert:
                .insert(
                    DefaultHistoryInsert<Model>(
                        changeIdentifier: number, transactionIdentifier: transactionNumber,
                        changedPersistentIdentifier: id))
            case .update:
                .update(
                    DefaultHistoryUpdate<Model>(
                        changeIdentifier: number, transactionIdentifier: transactionNumber,
                        changedPersistentIdentifier: id,
                        updatedAttributes: entity.paths(to: change.updatedProperties)))
            case .delete:
                .delete(
                    DefaultHistoryDelete<Model>(
                        changeIdentifier: number, transactionIdentifier: transactionNumber,
                        changedPersistentIdentifier: id,
                        tombstone: HistoryTombstone(change.tombstone, entity)))
            }
        }
        self = make(entity.type)
    }
}

/// The insertion of a model.
public protocol HistoryInsert<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

    /// The number of the change in its transaction.
    var changeIdentifier: ChangeIdentifier { get }
    /// The number of the transaction in its store.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The model.
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// The change of a model's properties.
public protocol HistoryUpdate<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    /// The key path of a property that was changed.
    typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

    /// The number of the change in its transaction.
    var changeIdentifier: ChangeIdentifier { get }
    /// The number of the transaction in its store.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The model.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The attributes and relationships that changed, sorted by name.
    var updatedAttributes: [any PropertyUpdate] { get }
}

/// The deletion of a model.
public protocol HistoryDelete<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

    /// The number of the change in its transaction.
    var changeIdentifier: ChangeIdentifier { get }
    /// The number of the transaction in its store.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The model, which is not in its store any more.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The last values of the model's attributes with the option `.preserveValueOnDeletion`.
    var tombstone: HistoryTombstone<Model> { get }
}

/// The insertion of a model of a class into a container's store.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable {
    /// The number of the change in its transaction.
    public let changeIdentifier: Int64
    /// The number of the transaction in its store.
    public let transactionIdentifier: Int64
    /// The model.
    public let changedPersistentIdentifier: PersistentIdentifier
}

/// The change of properties of a model of a class in a container's store.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable {
    /// The number of the change in its transaction.
    public let changeIdentifier: Int64
    /// The number of the transaction in its store.
    public let transactionIdentifier: Int64
    /// The model.
    public let changedPersistentIdentifier: PersistentIdentifier
    /// The attributes and relationships that changed, including inherited ones, sorted by name.
    ///
    /// A to-many relationship whose inverse is a to-one relationship does not count: the inverse is what changed.
    public let updatedAttributes: [any PropertyUpdate]
}

/// The deletion of a model of a class from a container's store.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable {
    /// The number of the change in its transaction.
    public let changeIdentifier: Int64
    /// The number of the transaction in its store.
    public let transactionIdentifier: Int64
    /// The model, which is not in its store any more.
    public let changedPersistentIdentifier: PersistentIdentifier
    /// The last values of the model's attributes with the option `.preserveValueOnDeletion`.
    public let tombstone: HistoryTombstone<Model>
}

extension ModelEntity {
    /// Returns the key paths of properties, sorted by name. Those of inherited properties start at the class, too.
    fileprivate func paths<Model>(
        to names: Set<String>
    ) -> [any PartialKeyPath<Model> & Sendable] {
        names.sorted().compactMap { name in
            // The key paths are those that `@Model` writes. They capture nothing, so any thread can use them.
            properties[name].map { property in
                unsafeBitCast(
                    _rerootKeyPath(property.path, to: Model.self),
                    to: (any PartialKeyPath<Model> & Sendable).self)
            }
        }
    }
}

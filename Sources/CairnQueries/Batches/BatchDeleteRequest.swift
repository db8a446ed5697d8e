import CairnModel
import CairnObjects
import CairnStack
import CairnStore

/// A request that deletes all objects that a fetch request finds, or those with given IDs, in one save of all stores.
///
/// See ``CairnObjects/ManagedObjectContext/execute(_:)-(BatchDeleteRequest)``.
public struct BatchDeleteRequest: Sendable {
    /// The objects to delete.
    enum Objects: Sendable {
        case matching(FetchRequest<ManagedObject>)
        case ids([ObjectID])
    }

    let objects: Objects
    /// Whether the delete rules of relationships are applied: cascade, nullify and deny. If `false`, the objects are
    /// deleted alone, and the request fails if that would leave a reference to one of them.
    public var appliesDeleteRules = true
    /// What the result contains.
    public var resultType = BatchResultType.statusOnly
    /// The stores whose objects are deleted. `nil` means all stores. Does not matter if there are IDs.
    public var affectedStores: [any PersistentStore]?

    /// Creates a request that deletes the objects that a fetch request finds. Its sort descriptors, limit and offset
    /// decide which objects these are.
    public init(fetchRequest: FetchRequest<ManagedObject>) {
        objects = .matching(fetchRequest)
        affectedStores = fetchRequest.affectedStores
    }

    /// Creates a request that deletes objects. Those that no store contains are ignored.
    public init(objectIDs: [ObjectID]) { objects = .ids(objectIDs) }
}

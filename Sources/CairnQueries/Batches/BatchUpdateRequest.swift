import CairnModel
import CairnObjects
import CairnStack
import CairnStore

/// A request that sets properties of all objects that match a predicate, in one save of all stores.
///
/// ```swift
/// var request = BatchUpdateRequest(entityName: "Note")
/// request.predicate = try FetchPredicate(format: "isRead == NO")
/// request.propertiesToUpdate = ["isRead": true]
/// let result = try context.execute(request)
/// ```
///
/// See ``CairnObjects/ManagedObjectContext/execute(_:)-(BatchUpdateRequest)``.
public struct BatchUpdateRequest: Sendable {
    /// The name of the entity whose objects are changed.
    public var entityName: String
    /// The condition for objects that are changed. `nil` means all of them.
    public var predicate: FetchPredicate?
    /// Whether objects of subentities are changed, too.
    public var includesSubentities = true
    /// The new values by the names of attributes, as `ManagedObject.setValue(_:forKey:)` takes them, and the IDs of the
    /// destinations by the names of to-one relationships. `NSNull` means `nil`.
    public var propertiesToUpdate: [String: any Sendable] = [:]
    /// What the result contains.
    public var resultType = BatchResultType.statusOnly
    /// The stores whose objects are changed. `nil` means all stores.
    public var affectedStores: [any PersistentStore]?

    /// Creates a request that changes the objects of an entity.
    public init(entityName: String) { self.entityName = entityName }
}

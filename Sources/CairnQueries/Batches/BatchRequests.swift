import CairnModel
import CairnObjects
import CairnStack
import CairnStore

/// What the result of a batch request contains. The raw values are Core Data's.
public enum BatchResultType: Int, Sendable {
    /// Only that the request was executed.
    case statusOnly = 0
    /// The IDs of the objects.
    case objectIDs
    /// The number of objects.
    case count
}

/// The result of a batch request.
public struct BatchResult: Sendable {
    /// What ``result`` contains, as the request asked.
    public let resultType: BatchResultType
    /// The number of objects that the request inserted, changed or deleted. Counts those that cascade rules deleted,
    /// but neither those that lost a destination nor those that had the new values already.
    public let count: Int
    /// The IDs of all objects that were inserted, changed or deleted, also because of delete rules. Pass it to
    /// ``CairnObjects/ManagedObjectContext/mergeChanges(_:)`` of contexts that have such objects. Empty unless the
    /// request asked for IDs.
    public let changes: ObjectIDChanges
    /// The IDs of the objects that ``count`` counts. Empty unless the request asked for IDs.
    public let objectIDs: [ObjectID]

    /// `true`, ``objectIDs`` or ``count``, as Core Data returns it.
    public var result: Any? {
        switch resultType {
        case .statusOnly: true
        case .objectIDs: objectIDs
        case .count: count
        }
    }
}

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

/// A request that inserts objects, in one save of all stores.
///
/// ```swift
/// let request = BatchInsertRequest(entityName: "Note", objects: [["text": "Rain"], ["text": "Snow"]])
/// let result = try context.execute(request)
/// ```
///
/// See ``CairnObjects/ManagedObjectContext/execute(_:)-(BatchInsertRequest)``.
public struct BatchInsertRequest {
    /// The name of the entity of the objects.
    public let entityName: String
    /// Sets the values of a new object. Returns `false` if there are no more objects.
    let fill: (ManagedObject) throws -> Bool
    /// What the result contains.
    public var resultType = BatchResultType.statusOnly

    /// Creates a request that inserts an object for each dictionary, with its values by name, as
    /// `ManagedObject.setValue(_:forKey:)` takes them. Properties without a value have their default value.
    public init(entityName: String, objects: [[String: Any]]) {
        var rest = objects[...]
        self.init(entityName: entityName) { (values: inout [String: Any]) in
            guard let next = rest.popFirst() else { return true }
            values = next
            return false
        }
    }

    /// Creates a request that calls a handler for each object.
    ///
    /// - Parameter dictionaryHandler: Gets an empty dictionary and sets the values of the next object. Returns
    ///   `true` if there are no more objects.
    public init(
        entityName: String, dictionaryHandler: @escaping (inout [String: Any]) throws -> Bool
    ) {
        self.init(entityName: entityName) { (object: ManagedObject) in
            var values: [String: Any] = [:]
            if try dictionaryHandler(&values) { return true }
            try object.setValuesForKeys(values)
            return false
        }
    }

    /// Creates a request that calls a handler for each object.
    ///
    /// - Parameter managedObjectHandler: Gets a new object and sets its values. Returns `true` if there are no more
    ///   objects; the object is then not inserted. It must not keep the object.
    @_disfavoredOverload
    public init(
        entityName: String, managedObjectHandler: @escaping (ManagedObject) throws -> Bool
    ) {
        self.entityName = entityName
        fill = { try !managedObjectHandler($0) }
    }
}

import CairnModel
import CairnObjects

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
    /// - Parameters:
    ///   - entityName: The name of the entity of the objects.
    ///   - dictionaryHandler: Gets an empty dictionary and sets the values of the next object. Returns
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
    /// - Parameters:
    ///   - entityName: The name of the entity of the objects.
    ///   - managedObjectHandler: Gets a new object and sets its values. Returns `true` if there are no more
    ///   objects; the object is then not inserted. It must not keep the object.
    @_disfavoredOverload
    public init(
        entityName: String, managedObjectHandler: @escaping (ManagedObject) throws -> Bool
    ) {
        self.entityName = entityName
        fill = { try !managedObjectHandler($0) }
    }
}

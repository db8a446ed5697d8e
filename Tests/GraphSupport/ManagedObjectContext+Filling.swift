import Cairn

extension ManagedObjectContext {
    /// Inserts an object and sets its values.
    public func insert(
        _ entity: String, _ values: [String: Any] = [:]
    ) throws -> ManagedObject {
        let object = try insertNewObject(forEntityName: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// Returns the only object that matches. Throws ``NotOne`` if there is not exactly one.
    public func only(
        _ entity: String, where format: String = "TRUEPREDICATE"
    ) throws -> ManagedObject {
        let found = try fetch(FetchRequest<ManagedObject>(entity, where: format))
        guard found.count == 1 else { throw NotOne(entity: entity, count: found.count) }
        return found[0]
    }

    /// The error of a fetch that did not find exactly one object.
    public struct NotOne: Error, Sendable {
        /// The name of the fetched entity.
        public let entity: String
        /// The number of objects found.
        public let count: Int
    }
}

extension ManagedObject {
    /// Returns a value of each member, in the order of the relationship, or sorted if the relationship is
    /// unordered.
    public func names(_ relationship: String, _ key: String) throws -> [String] {
        if entity.relationship(named: relationship)?.isOrdered == true {
            return try orderedObjects(relationship).map {
                try $0.value(forKey: key) as? String ?? ""
            }
        }
        return try objects(relationship).map { try $0.value(forKey: key) as? String ?? "" }.sorted()
    }
}

import Cairn

extension ManagedObjectContext {
    /// Inserts an object with values.
    public func insert(
        _ entity: String, _ values: [String: Any] = [:]
    ) throws -> ManagedObject {
        let object = try insertNewObject(forEntityName: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// Returns the only match.
    public func only(
        _ entity: String, where format: String = "TRUEPREDICATE"
    ) throws -> ManagedObject {
        let found = try fetch(FetchRequest<ManagedObject>(entity, where: format))
        guard found.count == 1 else { throw NotOne(entity: entity, count: found.count) }
        return found[0]
    }

    /// A fetch did not find one object.
    public struct NotOne: Error, Sendable {
        /// What was fetched.
        public let entity: String
        /// How many objects were found.
        public let count: Int
    }
}

extension ManagedObject {
    /// Returns a key of each member, in the relationship's order, or sorted where it has none.
    public func names(_ relationship: String, _ key: String) throws -> [String] {
        if entity.relationship(named: relationship)?.isOrdered == true {
            return try orderedObjects(relationship).map {
                try $0.value(forKey: key) as? String ?? ""
            }
        }
        return try objects(relationship).map { try $0.value(forKey: key) as? String ?? "" }.sorted()
    }
}

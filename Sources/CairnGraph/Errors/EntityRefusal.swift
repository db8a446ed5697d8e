/// Why a store does not take objects of an entity.
public enum EntityRefusal: Sendable, Hashable {
    /// The configuration that the store was added with does not have the entity.
    case notInConfiguration(String)
    /// The configuration has the entity. The store was written with an earlier version of the model that
    /// did not have it, and was not migrated.
    case addedToModelLater
}

extension EntityRefusal: CustomStringConvertible {
    /// The reason, and what to do.
    public var description: String {
        switch self {
        case .notInConfiguration(let name):
            "its configuration “\(name)” does not have the entity. Assign the object to a store whose"
                + " configuration has it."
        case .addedToModelLater:
            "it was written with a version of the model that did not have the entity. Add the store with"
                + " the options migratePersistentStoresAutomatically and"
                + " inferMappingModelAutomatically, or assign the object to another store."
        }
    }
}

/// The reason why a store does not accept objects of an entity.
public enum EntityRefusal: Sendable, Hashable {
    /// The configuration that the store was added with does not include the entity.
    case notInConfiguration(String)
    /// The configuration includes the entity, but the store was written with an earlier version of the
    /// model that did not, and it was not migrated.
    case addedToModelLater
}

extension EntityRefusal: CustomStringConvertible {
    /// The reason, and how to resolve it.
    public var description: String {
        switch self {
        case .notInConfiguration(let name):
            "its configuration “\(name)” does not include that entity. Assign the object to a store whose"
                + " configuration does."
        case .addedToModelLater:
            "it was written with a version of the model that did not have that entity. Add the store with"
                + " the options migratePersistentStoresAutomatically and"
                + " inferMappingModelAutomatically, or assign the object to another store."
        }
    }
}

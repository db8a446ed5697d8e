/// A named fetch request in a model, whose predicate may contain variables.
public struct FetchRequestTemplate: Sendable, Hashable {
    /// The condition of a template: a predicate, or its text if Cairn's grammar does not support it.
    public enum Condition: Sendable, Hashable {
        /// A parsed predicate. Its variables get their values when a fetch request is created from the
        /// template.
        case predicate(FetchPredicate)
        /// Text that could not be parsed, and the reason. Using the template throws an error with the reason.
        case unreadable(text: String, reason: String)
    }

    /// The type of the results.
    ///
    /// Raw values are those of Core Data's `NSFetchRequestResultType`.
    public enum ResultType: Int, Sendable, Hashable, Codable {
        /// Objects of the entity, as faults or with their values.
        case managedObjects = 0
        /// Only the IDs of the objects. No objects are created.
        case objectIDs = 1
        /// Dictionaries of property names and values, one for each matching object.
        case dictionaries = 2
        /// A single number: the count of matching objects.
        case count = 4
    }

    /// A key path to sort by.
    public struct SortDescriptor: Sendable, Hashable {
        /// The names from the entity to the value, joined with dots.
        public var keyPath: String
        /// Whether smaller values come first. `nil` is smaller than all other values.
        public var isAscending: Bool

        /// Creates a sort descriptor for a key path, such as `author.name`. It is ascending by default.
        public init(_ keyPath: String, isAscending: Bool = true) {
            self.keyPath = keyPath
            self.isAscending = isAscending
        }
    }

    /// The name of the entity that is fetched, which must be in the same model.
    public var entity: String
    /// The condition, or `nil` if all objects of the entity match.
    public var condition: Condition?
    /// The sort descriptors. Each applies to objects that are equal according to the previous ones. If empty,
    /// the order of the results is undefined.
    public var sortDescriptors: [SortDescriptor] = []
    /// The type of the results. The default is ``ResultType/managedObjects``.
    public var resultType = ResultType.managedObjects
    /// The maximum number of results. 0 means that there is no limit.
    public var fetchLimit = 0
    /// The number of matches to skip before the first result.
    public var fetchOffset = 0
    /// The number of objects to load at a time, as a hint. 0 means that all are loaded at once.
    public var fetchBatchSize = 0
    /// Whether objects of subentities also match.
    public var includesSubentities = true
    /// Whether values are fetched together with the objects instead of when a fault fires. This is a hint.
    public var includesPropertyValues = true
    /// Whether the results reflect unsaved changes in the context.
    public var includesPendingChanges = true
    /// Whether objects are returned as faults. This is a hint.
    public var returnsObjectsAsFaults = true
    /// Whether equal results are returned only once. Useful for dictionaries.
    public var returnsDistinctResults = false

    /// Creates a template in which all other settings have Core Data's defaults.
    public init(entity: String, condition: Condition? = nil) {
        self.entity = entity
        self.condition = condition
    }
}

/// A fetch request kept in a model under a name, with variables to fill in later.
public struct FetchRequestTemplate: Sendable, Hashable {
    /// A template's condition: read, or kept as text where our grammar does not cover it.
    public enum Condition: Sendable, Hashable {
        case predicate(FetchPredicate)
        /// Text that did not parse, and why; using the template throws that reason.
        case unreadable(text: String, reason: String)
    }

    /// What each result is.
    ///
    /// Raw values are Core Data's (`NSFetchRequestResultType`).
    public enum ResultType: Int, Sendable, Hashable {
        case managedObjects = 0
        case objectIDs = 1
        case dictionaries = 2
        case count = 4
    }

    /// A key path to sort by.
    public struct SortDescriptor: Sendable, Hashable {
        public var keyPath: String
        public var isAscending: Bool

        public init(_ keyPath: String, isAscending: Bool = true) {
            self.keyPath = keyPath
            self.isAscending = isAscending
        }
    }

    public var entity: String
    /// nil: every object of the entity.
    public var condition: Condition?
    public var sortDescriptors: [SortDescriptor] = []
    public var resultType = ResultType.managedObjects
    /// The most results; 0: no bound.
    public var fetchLimit = 0
    public var fetchOffset = 0
    public var fetchBatchSize = 0
    public var includesSubentities = true
    public var includesPropertyValues = true
    public var includesPendingChanges = true
    public var returnsObjectsAsFaults = true
    public var returnsDistinctResults = false

    public init(entity: String, condition: Condition? = nil) {
        self.entity = entity
        self.condition = condition
    }
}

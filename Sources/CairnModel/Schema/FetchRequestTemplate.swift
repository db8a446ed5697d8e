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
        /// Objects of the entity.
        case managedObjects = 0
        /// Their IDs alone; no row becomes an object.
        case objectIDs = 1
        /// Names and values, one dictionary for each match.
        case dictionaries = 2
        /// One number: how many match.
        case count = 4
    }

    /// A key path to sort by.
    public struct SortDescriptor: Sendable, Hashable {
        /// Names from the entity to the value, joined by points.
        public var keyPath: String
        /// Whether small values come first. `nil` is smaller than every value.
        public var isAscending: Bool

        /// Sorts ascending unless told otherwise.
        public init(_ keyPath: String, isAscending: Bool = true) {
            self.keyPath = keyPath
            self.isAscending = isAscending
        }
    }

    /// Name of the entity that is fetched; the model must hold it.
    public var entity: String
    /// `nil` if every object of the entity matches.
    public var condition: Condition?
    /// The first decides, ties go to the next. Empty if no order is promised.
    public var sortDescriptors: [SortDescriptor] = []
    /// What each result is; managed objects unless said otherwise.
    public var resultType = ResultType.managedObjects
    /// The most results. 0 if there is no bound.
    public var fetchLimit = 0
    /// How many matches are passed over before the first result.
    public var fetchOffset = 0
    /// How many objects are to be loaded at a time. 0 if all are to be loaded at once. A hint.
    public var fetchBatchSize = 0
    /// Whether objects of subentities match too.
    public var includesSubentities = true
    /// Whether values come with the objects, or only when a fault fires. A hint.
    public var includesPropertyValues = true
    /// Whether the context's unsaved changes take part.
    public var includesPendingChanges = true
    /// Whether the objects come as faults. A hint.
    public var returnsObjectsAsFaults = true
    /// Whether equal results come once; of use with dictionaries.
    public var returnsDistinctResults = false

    /// Makes a template with Core Data's defaults for everything else.
    public init(entity: String, condition: Condition? = nil) {
        self.entity = entity
        self.condition = condition
    }
}

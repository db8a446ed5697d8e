import CairnModel
import CairnStore

/// What to fetch into a context.
///
/// ```swift
/// var request = FetchRequest<Song>()
/// request.predicate = try FetchPredicate(format: "album.title BEGINSWITH %@", "Blue")
/// request.sortDescriptors = [FetchSortDescriptor("track")]
/// for song in try context.fetch(request) { … }
/// ```
public struct FetchRequest<Result: ManagedObject>: Sendable {
    /// The name of the entity to fetch. `nil` means the entity whose objects have the class `Result`.
    public var entityName: String?
    /// The condition that objects must meet. `nil` means all objects of the entity.
    public var predicate: FetchPredicate?
    /// How to sort the objects, the most significant descriptor first. Objects that the descriptors do
    /// not order are sorted by key.
    public var sortDescriptors: [FetchSortDescriptor] = []
    /// The maximum number of objects to return. 0 means no limit.
    public var fetchLimit = 0
    /// How many matches to skip.
    public var fetchOffset = 0
    /// Whether objects of subentities match.
    public var includesSubentities = true
    /// Whether unsaved changes of the context are taken into account: new objects, changed values,
    /// deletions.
    public var includesPendingChanges = true
    /// Whether only IDs are fetched, and values when they are read. Core Data's default is `true`,
    /// because there values cost more than IDs. Here the default is `false`: rows are packed, and
    /// objects are created when they are first used.
    public var returnsObjectsAsFaults = false
    /// Paths of relationships whose objects are fetched together with the matches, in a few calls
    /// instead of one call per object.
    ///
    /// The objects along a path already have their values when the path is followed. The
    /// ``FetchResults`` hold these objects, and the context holds them until its turn ends or it is
    /// reset. If a path has several relationships, each fetched object also holds all objects along it,
    /// until the fetched object becomes a fault or is released. If a path has one relationship, an
    /// array of fetched objects holds only the objects in it: following the path in a later turn makes
    /// faults again, whose rows are in the row cache.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The stores whose objects are fetched, including unsaved objects that a save would write to them.
    /// `nil` means all stores.
    public var affectedStores: [any PersistentStore]?
    /// Whether values are fetched with the IDs. `false` has the same effect as setting
    /// ``returnsObjectsAsFaults`` to `true`.
    public var includesPropertyValues = true
    /// Whether objects that the context already has take the fetched values, if they have no changes.
    /// Otherwise, they keep their values.
    public var shouldRefreshRefetchedObjects = false
    /// How many objects get their values at a time, when the first of them is used. 0 means that all
    /// values are fetched at once. The results hold only the batch that was last used, so walking over
    /// many matches needs the memory of one batch.
    public var fetchBatchSize = 0

    /// How long the fetch may take, together with its prefetches. A fetch that takes longer throws
    /// `.store(.deadlineExceeded)`. `nil` sets no limit. See also `StoreDeadline`.
    public var timeout: Duration?

    /// What ``ManagedObjectContext/execute(_:)`` returns.
    public var resultType = FetchResultType.managedObjects
    /// The entries of dictionaries. If it is empty, all persistent attributes.
    public var propertiesToFetch: [PropertyToFetch] = []
    /// The key paths to group by. Matches with equal values at these paths become one dictionary, whose
    /// entries are these paths and summaries.
    public var propertiesToGroupBy: [String] = []
    /// The condition that groups must meet. Its names are those of the entries and of the paths to
    /// group by.
    public var havingPredicate: FetchPredicate?
    /// Whether equal dictionaries are returned only once.
    public var returnsDistinctResults = false
    /// Whether the fetch throws ``GraphError/fetchCancelled`` after its task is cancelled.
    ///
    /// A fetch that follows changes, such as that of a results controller, continues, because its task
    /// was not started for the fetch.
    var isCancellable = true

    /// Creates a request for the objects of the entity that has the class `Result`.
    public init() {}

    /// Creates a request for the objects of an entity.
    public init(_ entityName: String) {
        self.entityName = entityName
    }

    /// Creates a request for the objects of an entity.
    public init(entityName: String) {
        self.entityName = entityName
    }

    /// Creates a request for the objects of an entity that match a predicate.
    ///
    /// - Throws: `.predicate` if the text is not a predicate or the arguments do not fit it.
    public init(
        _ entityName: String, where format: String, _ arguments: any PredicateArgument...
    ) throws(GraphError) {
        self.entityName = entityName
        do throws(FetchPredicateError) {
            predicate = try FetchPredicate(format: format, arguments: arguments)
        } catch {
            throw .predicate(error)
        }
    }
}

extension FetchRequest where Result == ManagedObject {
    /// Creates a request for the objects of an entity, whatever their class.
    public init(entityName: String) {
        self.init(entityName)
    }
}

extension FetchRequest {
    /// Whether values are fetched later, when they are read.
    private var fetchesIDsOnly: Bool {
        returnsObjectsAsFaults || !includesPropertyValues || fetchBatchSize > 0
    }

    /// Resolves all names in a fetch of dictionaries.
    ///
    /// - Throws: `.predicate`.
    func dictionaryPlan(
        for entity: Entity, in context: ManagedObjectContext
    ) throws(GraphError) -> DictionaryPlan {
        var properties = propertiesToFetch
        if properties.isEmpty {
            properties =
                propertiesToGroupBy.isEmpty
                ? entity.attributes.filter { !$0.isTransient }.map { .keyPath($0.name) }
                : propertiesToGroupBy.map { .keyPath($0) }
        }
        let planner = DictionaryPlanner(
            properties: properties, keys: propertiesToGroupBy, having: havingPredicate,
            sorts: sortDescriptors, isDistinct: returnsDistinctResults, entity: entity)
        var request = self
        do throws(FetchPredicateError) {
            // Groups are sorted by their own entries, whose names the entity does not know.
            if try planner.isGrouped { request.sortDescriptors = [] }
            var plan = try request.boundPlan(for: entity, in: context)
            plan.output = .rows
            return try planner.plan(plan)
        } catch {
            throw .predicate(error)
        }
    }

    /// Resolves all names.
    ///
    /// - Parameter context: the context that knows the current IDs of the objects in the predicate.
    ///   `nil` if the plan is only made to check the request.
    /// - Throws: `.predicate`.
    func plan(
        for entity: Entity, in context: ManagedObjectContext?
    ) throws(GraphError) -> FetchPlan {
        do throws(FetchPredicateError) {
            return try boundPlan(for: entity, in: context)
        } catch {
            throw .predicate(error)
        }
    }

    private func boundPlan(
        for entity: Entity, in context: ManagedObjectContext?
    ) throws(FetchPredicateError) -> FetchPlan {
        var plan = FetchPlan(
            entity: entity, includesSubentities: includesSubentities,
            offset: max(fetchOffset, 0), limit: fetchLimit > 0 ? fetchLimit : nil,
            output: fetchesIDsOnly ? .ids : .rows)
        plan.isCancellable = isCancellable
        plan.deadline = timeout.map { .now + $0 }
        if let predicate {
            plan.predicate = try (context?.replacedIDs.current(predicate) ?? predicate).bound(
                to: entity)
        }
        for sort in sortDescriptors {
            let path = try BoundPath(keyPath: sort.keyPath, entity: entity)
            plan.sorts.append(
                BoundSort(path, isAscending: sort.isAscending, textOrder: sort.textOrder))
        }
        return plan
    }
}

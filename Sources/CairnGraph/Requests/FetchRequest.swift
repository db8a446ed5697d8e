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
    /// The entity to fetch; nil: the one whose objects have the class `Result`.
    public var entityName: String?
    /// nil: all objects of the entity.
    public var predicate: FetchPredicate?
    /// The first decides; ties end with the key.
    public var sortDescriptors: [FetchSortDescriptor] = []
    /// The most objects returned; 0: all.
    public var fetchLimit = 0
    /// How many matches are passed over.
    public var fetchOffset = 0
    /// Whether objects of subentities match.
    public var includesSubentities = true
    /// Whether unsaved changes of the context count: new objects, changed values, deletions.
    public var includesPendingChanges = true
    /// Whether only IDs are fetched, and values when they are asked for. Core Data's default is
    /// true, because there values cost more than IDs; here rows come packed and objects are made
    /// when they are touched.
    public var returnsObjectsAsFaults = false
    /// Paths of relationships whose objects are fetched along, in few calls instead of one each.
    ///
    /// The objects along a path have their values when the path is followed. The ``FetchResults``
    /// hold these objects, and the context holds them until its turn ends or it is reset. If a path
    /// has several relationships, the fetched objects hold them too, each of them all, until it
    /// becomes a fault or is released. After a path of one relationship, an array of objects holds
    /// only what it contains: in a later turn, following the path makes faults again, whose rows
    /// the row cache has.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// Only objects of these stores, and unsaved ones that a save would put there; nil: of all.
    public var affectedStores: [any PersistentStore]?
    /// Whether values are fetched with the IDs; false does what ``returnsObjectsAsFaults`` does.
    public var includesPropertyValues = true
    /// Whether objects that the context has already take the values of the fetched rows where they
    /// have no changes of their own; otherwise they keep what they have.
    public var shouldRefreshRefetchedObjects = false
    /// How many objects get their values at a time, when the first of them is touched; 0: all are
    /// fetched at once. The results hold the batch that was touched last, so walking over many
    /// matches keeps the memory of few.
    public var fetchBatchSize = 0

    /// How long the fetch may take, together with its prefetches. A fetch that takes longer throws
    /// `.store(.deadlineExceeded)`. `nil` sets no limit. See also `StoreDeadline`.
    public var timeout: Duration?

    /// What ``ManagedObjectContext/execute(_:)`` returns.
    public var resultType = FetchResultType.managedObjects
    /// The entries of dictionaries; empty: all persistent attributes.
    public var propertiesToFetch: [PropertyToFetch] = []
    /// Key paths: matches with equal values there make one dictionary. Its entries are these paths
    /// and summaries.
    public var propertiesToGroupBy: [String] = []
    /// Which groups are returned: names are those of the entries and of what is grouped by.
    public var havingPredicate: FetchPredicate?
    /// Whether equal dictionaries come once.
    public var returnsDistinctResults = false
    /// Whether the fetch ends with ``GraphError/fetchCancelled`` once its task is cancelled.
    ///
    /// A fetch that follows changes, such as that of a results controller, goes on: its task was not
    /// started for the fetch.
    var isCancellable = true

    /// Requests the objects of the entity that has the class.
    public init() {}

    /// Requests the objects of an entity.
    public init(_ entityName: String) {
        self.entityName = entityName
    }

    /// Requests the objects of an entity.
    public init(entityName: String) {
        self.entityName = entityName
    }

    /// Requests the objects of an entity for which a predicate holds.
    ///
    /// - Throws: `.predicate` where the text is none.
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
    /// Requests the objects of an entity, of whatever class.
    public init(entityName: String) {
        self.init(entityName)
    }
}

extension FetchRequest {
    /// Whether values come later, when they are asked for.
    private var fetchesIDsOnly: Bool {
        returnsObjectsAsFaults || !includesPropertyValues || fetchBatchSize > 0
    }

    /// Resolves all names of a fetch of dictionaries.
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
        // Groups are sorted by what they have; the names mean nothing to the entity.
        if try planner.isGrouped { request.sortDescriptors = [] }
        var plan = try request.plan(for: entity, in: context)
        plan.output = .rows
        return try planner.plan(plan)
    }

    /// Resolves all names.
    ///
    /// - Parameter context: knows which IDs the objects have now that the predicate was made with. `nil`
    ///   if the plan is made to check the request.
    /// - Throws: `.predicate`.
    func plan(
        for entity: Entity, in context: ManagedObjectContext?
    ) throws(GraphError) -> FetchPlan {
        var plan = FetchPlan(
            entity: entity, includesSubentities: includesSubentities,
            offset: max(fetchOffset, 0), limit: fetchLimit > 0 ? fetchLimit : nil,
            output: fetchesIDsOnly ? .ids : .rows)
        plan.isCancellable = isCancellable
        plan.deadline = timeout.map { .now + $0 }
        do throws(FetchPredicateError) {
            if let predicate {
                plan.predicate = try (context?.replacedIDs.current(predicate) ?? predicate).bound(
                    to: entity)
            }
            for sort in sortDescriptors {
                let path = try BoundPath(keyPath: sort.keyPath, entity: entity)
                plan.sorts.append(
                    BoundSort(path, isAscending: sort.isAscending, textOrder: sort.textOrder))
            }
        } catch {
            throw .predicate(error)
        }
        return plan
    }
}

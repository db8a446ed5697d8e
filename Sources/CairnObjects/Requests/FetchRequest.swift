import CairnModel
import CairnStack
import CairnStore

/// A description of the objects to fetch into a context.
///
/// ```swift
/// var request = FetchRequest<Song>()
/// request.predicate = try FetchPredicate(format: "album.title BEGINSWITH %@", "Blue")
/// request.sortDescriptors = [FetchSortDescriptor("track")]
/// for song in try context.fetch(request) { … }
/// ```
public struct FetchRequest<Result: ManagedObject>: Sendable {
    /// The name of the entity to fetch. If `nil`, the entity whose objects have the class `Result` is
    /// fetched.
    public var entityName: String?
    /// The condition that objects must meet. If `nil`, all objects of the entity are fetched.
    public var predicate: FetchPredicate?
    /// The sort order of the objects, the most significant descriptor first. Objects that compare as
    /// equal are sorted by key.
    public var sortDescriptors: [FetchSortDescriptor] = []
    /// The maximum number of objects to return. 0 means no limit.
    public var fetchLimit = 0
    /// The number of matches to skip.
    public var fetchOffset = 0
    /// Whether objects of subentities match, too. The default is `true`.
    public var includesSubentities = true
    /// Whether the context's unsaved changes are taken into account: new objects, changed values, and
    /// deletions.
    public var includesPendingChanges = true
    /// Whether only IDs are fetched, so that values are fetched when they are read. The default is
    /// `false`. In Core Data it is `true`, because values cost more than IDs there. In Cairn, rows are
    /// packed, and objects are created when they are first used.
    public var returnsObjectsAsFaults = false
    /// The paths of relationships whose objects are fetched together with the matches, in a few calls
    /// instead of one call per object.
    ///
    /// When a path is followed, the objects along it already have their values. The ``FetchResults`` hold
    /// these objects, and the context holds them until its turn ends or it is reset. If a path has
    /// several relationships, each fetched object also holds all objects along the path, until the
    /// fetched object becomes a fault or is released. If a path has one relationship, an array of fetched
    /// objects holds only the objects in the array. Following the path in a later turn then creates new
    /// faults, whose rows are in the row cache.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The stores whose objects are fetched, including unsaved objects that a save would write to these
    /// stores. If `nil`, all stores are searched.
    public var affectedStores: [any PersistentStore]?
    /// Whether objects that the context already has are updated with the fetched values, unless they have
    /// changes. If `false`, they keep their values.
    public var shouldRefreshRefetchedObjects = false
    /// The number of objects that get their values together, when the first of them is used. 0 means that
    /// all values are fetched at once. The results hold only the batch that was last used, so iterating
    /// over many matches needs the memory of one batch.
    public var fetchBatchSize = 0

    /// The time that the fetch and its prefetches may take. A fetch that takes longer throws
    /// `.store(.deadlineExceeded)`. If `nil`, there is no limit. See also `StoreDeadline`.
    public var timeout: Duration?

    /// The type of the result of `ManagedObjectContext.execute(_:)`.
    public var resultType = FetchRequestTemplate.ResultType.managedObjects
    /// The entries of dictionaries. If the array is empty, dictionaries contain all persistent
    /// attributes.
    public var propertiesToFetch: [PropertyToFetch] = []
    /// The key paths to group by. Matches with equal values at all of these paths become one dictionary,
    /// whose entries are these paths and summaries.
    public var propertiesToGroupBy: [String] = []
    /// The condition that groups must meet. Its names refer to the entries and to the paths to group by.
    public var havingPredicate: FetchPredicate?
    /// Whether equal dictionaries are returned only once.
    public var returnsDistinctResults = false
    /// Whether the fetch throws ``GraphError/fetchCancelled`` after its task is cancelled.
    ///
    /// A fetch that follows changes, such as a results controller's fetch, is not cancellable, because
    /// the task was not started for the fetch.
    package var isCancellable = true

    /// Creates a request for the objects of the entity whose class is `Result`.
    public init() {}

    /// Creates a request for all objects of an entity. Set other properties to restrict and sort them.
    public init(_ entityName: String) {
        self.entityName = entityName
    }

    /// Creates a request for all objects of an entity, with Core Data's parameter name.
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
        do {
            predicate = try FetchPredicate(format: format, arguments: arguments)
        } catch {
            throw .predicate(error)
        }
    }
}

extension FetchRequest where Result == ManagedObject {
    /// Creates a request for the objects of an entity, of any class.
    public init(entityName: String) {
        self.init(entityName)
    }
}

extension FetchRequest {
    /// Creates the request that a template describes. Variables remain in the predicate.
    ///
    /// The template's own `returnsObjectsAsFaults` is not copied: templates set it by default, because
    /// values cost more than IDs in Core Data. In Cairn they do not. A template that includes no values
    /// makes a request that returns faults.
    ///
    /// - Throws: `.predicate` if the template's predicate could not be read.
    package init(_ template: FetchRequestTemplate) throws(GraphError) {
        self.init(template.entity)
        switch template.condition {
        case nil: break
        case .predicate(let predicate)?: self.predicate = predicate
        case .unreadable(let text, let reason)?:
            throw .predicate(.unsupported(expression: text, advice: reason))
        }
        sortDescriptors = template.sortDescriptors.map {
            FetchSortDescriptor($0.keyPath, ascending: $0.isAscending)
        }
        resultType = template.resultType
        fetchLimit = template.fetchLimit
        fetchOffset = template.fetchOffset
        fetchBatchSize = template.fetchBatchSize
        includesSubentities = template.includesSubentities
        returnsObjectsAsFaults = !template.includesPropertyValues
        includesPendingChanges = template.includesPendingChanges
        returnsDistinctResults = template.returnsDistinctResults
    }
}

extension FetchRequest {
    /// Whether only IDs are fetched now and values are fetched when they are read.
    private var fetchesIDsOnly: Bool {
        returnsObjectsAsFaults || fetchBatchSize > 0
    }

    /// Creates the plan of a fetch of dictionaries by resolving all names.
    ///
    /// - Throws: `.predicate`.
    package func dictionaryPlan(
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
        var plan: DictionaryPlan
        do {
            // Groups are sorted by their own entries, whose names are not properties of the entity.
            if try planner.isGrouped { request.sortDescriptors = [] }
            var fetch = try request.boundPlan(for: entity, in: context)
            fetch.output = .rows
            plan = try planner.plan(fetch)
        } catch {
            throw .predicate(error)
        }
        plan.fetch = try context.comparingKeys(plan.fetch)
        return plan
    }

    /// Creates the plan of the fetch by resolving all names.
    ///
    /// - Parameter context: The context that knows the current IDs of the objects in the predicate. `nil`
    ///   if the plan is created only to check the request.
    /// - Throws: `.predicate`; `.store` if the key of an object in the predicate cannot be read.
    package func plan(
        for entity: Entity, in context: ManagedObjectContext?
    ) throws(GraphError) -> FetchPlan {
        let plan: FetchPlan
        do {
            plan = try boundPlan(for: entity, in: context)
        } catch {
            throw .predicate(error)
        }
        return try context?.comparingKeys(plan) ?? plan
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

/// The results of a fetch request of any result type.
public enum FetchAnswer<Element: ManagedObject> {
    /// The objects, in the order of the request's sort descriptors.
    case managedObjects(FetchResults<Element>)
    /// The IDs of the objects, in the order of the request's sort descriptors.
    case objectIDs([ObjectID])
    /// Entries that are `nil` are left out of the dictionaries.
    case dictionaries([DictionaryRow])
    /// The number of matches, after the request's offset and limit were applied.
    case count(Int)
}

import CairnModel
import CairnStore

extension ManagedObjectContext {
    /// Fetches the objects that match a request, taking the context's unsaved changes into account.
    ///
    /// Objects are created when they are first used. An object that the context already has keeps its
    /// values.
    ///
    /// Throws if the running task is cancelled: the fetch checks its task between batches of rows, and
    /// while a store is searched.
    ///
    /// - Throws: `.unknownEntity`, `.predicate`, `.noStore`, `.store`, `.wrongThread`,
    ///   `.fetchCancelled`; `.unknownStore` for an affected store that was removed;
    ///   `.classWithoutEntity`, `.classOfSeveralEntities`, `.classTooLate`; `.wrongType` if the entity
    ///   has another class, or if a name in a path to prefetch is not that of a relationship;
    ///   `.unknownProperty` if such a name does not exist.
    public func fetch<T: ManagedObject>(
        _ request: FetchRequest<T>
    ) throws(GraphError) -> FetchResults<T> {
        try checkTurn("fetch")
        let plan = try request.plan(
            for: try kinds.entity(named: request.entityName, as: T.self), in: self)
        let storage = try fetchStorage(
            plan, in: request.affectedStores?.map(\.number),
            includesPendingChanges: request.includesPendingChanges,
            keepsState: !request.relationshipKeyPathsForPrefetching.isEmpty)
        return try StoreDeadline.with(plan.deadline) { () throws(GraphError) in
            try results(of: storage, for: request)
        }
    }

    /// How often a background fetch begins again because the context was changed meanwhile.
    private static let mostBackgroundFetches = 3

    /// Fetches as `fetch` does, and leaves the main actor free while the store is searched: that step runs
    /// on the coordinator's executor.
    ///
    /// The results show the context's unsaved changes as they are when the fetch returns. Refreshing and
    /// prefetching, if the request asks for them, come after the search, on the main actor.
    ///
    /// If the context saves during the search, or has more changes afterwards that concern the request, the
    /// search begins again. The fourth search is that of `fetch`, and blocks the main actor. In a
    /// private-queue context use `fetch` inside of `perform`, which leaves the main actor free.
    ///
    /// - Throws: as `fetch`; `.wrongThread` if this is no main-queue context.
    @MainActor public func fetchInBackground<T: ManagedObject>(
        _ request: FetchRequest<T>
    ) async throws(GraphError) -> FetchResults<T> {
        for _ in 0..<Self.mostBackgroundFetches {
            try await endBackgroundSaves()
            let plan = try request.plan(
                for: try kinds.entity(named: request.entityName, as: T.self), in: self)
            let search = BackgroundSearch(
                plan, in: request.affectedStores?.map(\.number),
                includesPendingChanges: request.includesPendingChanges, of: self)
            let found = await search.run()
            try await endBackgroundSaves()
            if let storage = try search.storage(of: try found.get(), in: self) {
                return try StoreDeadline.with(plan.deadline) { () throws(GraphError) in
                    try results(of: storage, for: request)
                }
            }
        }
        return try fetch(request)
    }

    /// Refreshes and prefetches what a request asks for beside its matches.
    ///
    /// - Throws: as `fetch`.
    func results<T: ManagedObject>(
        of storage: FetchStorage, for request: FetchRequest<T>
    ) throws(GraphError) -> FetchResults<T> {
        storage.batchSize = max(0, request.fetchBatchSize)
        if request.shouldRefreshRefetchedObjects { try refreshRegistered(of: storage) }
        if !request.relationshipKeyPathsForPrefetching.isEmpty {
            storage.prefetched = try Prefetcher(self, reading: storage.takeState()).prefetch(
                request.relationshipKeyPathsForPrefetching, from: storage.objectsToKeep())
            events.holdUntilEndOfTurn(storage.prefetched)
        }
        return FetchResults(storage)
    }

    /// Fetches the objects that match a request, all of them made at once.
    ///
    /// - Throws: as the form that returns ``FetchResults``.
    @_disfavoredOverload
    public func fetch<T: ManagedObject>(_ request: FetchRequest<T>) throws(GraphError) -> [T] {
        let results: FetchResults<T> = try fetch(request)
        return results.all()
    }

    /// Fetches the IDs of the matches, and makes no object.
    ///
    /// - Throws: as `fetch`.
    public func fetchIDs<T: ManagedObject>(
        _ request: FetchRequest<T>
    ) throws(GraphError) -> [ObjectID] {
        var request = request
        request.returnsObjectsAsFaults = true
        request.relationshipKeyPathsForPrefetching = []
        let results: FetchResults<T> = try fetch(request)
        return results.objectIDs
    }

    /// Fetches the values of the matches, or summaries of groups of them, and makes no object: see
    /// ``FetchRequest/propertiesToFetch``, ``FetchRequest/propertiesToGroupBy`` and
    /// ``FetchRequest/havingPredicate``. Entries that are nil are absent.
    ///
    /// The values are those of the stores: unsaved changes do not count, as in Core Data. Offset and
    /// limit count dictionaries. Groups come in the order of what they are grouped by, unless sort
    /// descriptors name another one. Reads each matching row once, in batches.
    ///
    /// - Throws: as `fetch`; `.predicate` also for an entry that gives several values, or that a
    ///   group does not have.
    public func fetchDictionaries<T: ManagedObject>(
        _ request: FetchRequest<T>
    ) throws(GraphError) -> [[String: Value]] {
        try checkTurn("fetchDictionaries")
        let plan = try request.dictionaryPlan(
            for: try kinds.entity(named: request.entityName, as: T.self), in: self)
        return try source.dictionaries(plan, in: request.affectedStores?.map(\.number))
    }

    /// Runs a request as its ``FetchRequest/resultType`` says.
    ///
    /// - Throws: as `fetch` and ``fetchDictionaries(_:)``.
    public func execute<T: ManagedObject>(
        _ request: FetchRequest<T>
    ) throws(GraphError) -> FetchAnswer<T> {
        switch request.resultType {
        case .managedObjects: .managedObjects(try fetch(request))
        case .objectIDs: .objectIDs(try fetchIDs(request))
        case .dictionaries: .dictionaries(try fetchDictionaries(request))
        case .count: .count(try count(for: request))
        }
    }

    /// Counts the matches, offset and limit applied, and makes no object.
    ///
    /// - Throws: as `fetch`.
    public func count<T: ManagedObject>(for request: FetchRequest<T>) throws(GraphError) -> Int {
        try checkTurn("count(for:)")
        let plan = try request.plan(
            for: try kinds.entity(named: request.entityName, as: T.self), in: self)
        return try count(
            plan, in: request.affectedStores?.map(\.number),
            includesPendingChanges: request.includesPendingChanges)
    }

    /// Counts the matches of a plan.
    ///
    /// - Throws: as ``fetchStorage(_:in:includesPendingChanges:)``.
    func count(
        _ plan: FetchPlan, in stores: [StoreNumber]?, includesPendingChanges: Bool
    ) throws(GraphError) -> Int {
        settle()
        if includesPendingChanges { events.end() }
        guard includesPendingChanges, PendingChanges(plan, in: self) != nil else {
            return try source.count(plan, in: stores)
        }
        var plan = plan
        plan.output = .ids
        return try fetchStorage(plan, in: stores, includesPendingChanges: true).count
    }

    /// Fetches the values of those of the objects that are faults, many at a time.
    ///
    /// One that is not in its store any more stays a fault.
    ///
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func fireFaults(of objects: [ManagedObject]) throws(GraphError) {
        try checkTurn("fireFaults(of:)")
        try faults.fire(objects)
    }

    /// Runs a fetched property of an object.
    ///
    /// - Throws: as `fetch`, and what reading the paths that begin at the object throws.
    func fetch(
        _ property: FetchedProperty, of object: ManagedObject
    ) throws(GraphError) -> [ManagedObject] {
        try fetch(try FetchedPropertyRequest(property: property, object: object).request())
    }

    /// Gives the rows that were fetched to the objects that the context has already, apart from
    /// those with changes.
    private func refreshRegistered(of storage: FetchStorage) throws(GraphError) {
        let known = (0..<storage.count).compactMap { identityMap[storage.id(at: $0)] }
            .filter { !$0.hasChanges && !$0.isFault }
        let rows = try source.freshRows(for: known.map(\.objectID))
        for row in rows.rows { identityMap[row.id]?.rebase(on: row) }
    }

    /// Runs a plan.
    ///
    /// - Parameter keepsState: whether the state that was read is kept with the answer, to be read on.
    /// - Throws: `.store`, `.noStore`, `.unknownStore`, `.predicate`.
    func fetchStorage(
        _ plan: FetchPlan, in stores: [StoreNumber]?, includesPendingChanges: Bool,
        keepsState: Bool = false
    ) throws(GraphError) -> FetchStorage {
        settle()
        if includesPendingChanges { events.end() }
        let pending = includesPendingChanges ? PendingChanges(plan, in: self) : nil
        let storedPlan = pending?.storedPlan ?? plan
        var state: (any ObjectSource)?
        let batch: RowBatch
        if keepsState {
            (batch, state) = try source.fetchKeepingState(storedPlan, in: stores)
        } else {
            batch = try source.fetch(storedPlan, in: stores)
        }
        remoteChanges.readNewIDs()
        let storage =
            try pending?.storage(over: batch, in: stores) ?? FetchStorage(batch, context: self)
        storage.state = state
        return storage
    }
}

import CairnModel
import CairnRows
import CairnStack
import CairnStore
import Foundation

extension ManagedObjectContext {
    /// Fetches the objects that match a request, taking the context's unsaved changes into account.
    ///
    /// Objects are created when they are first used. Objects that are already registered keep their
    /// values.
    ///
    /// The fetch can be cancelled: it checks its task between batches of rows, and while a store is
    /// searched.
    ///
    /// - Throws: `.unknownEntity`, `.predicate`, `.noStore`, `.store`, `.wrongThread`; `.fetchCancelled`
    ///   if the running task is cancelled; `.unknownStore` for an affected store that was removed;
    ///   `.classWithoutEntity`, `.classOfSeveralEntities`, `.classTooLate`; `.wrongType` if the entity
    ///   has another class, or if a name in a path to prefetch is not the name of a relationship;
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
        return try results(of: storage, for: request, until: plan.deadline)
    }

    /// The number of searches that a background fetch makes if the context is changed meanwhile. After
    /// them, it fetches on the main actor.
    private static let mostBackgroundFetches = 3

    /// Fetches as `fetch` does, but leaves the main actor free while the stores are searched. The search
    /// runs on the coordinator's executor.
    ///
    /// The results include the context's unsaved changes at the time when the fetch returns. If the
    /// request asks for refreshing and prefetching, these follow the search, on the main actor.
    /// If the context saves during the search, or has other changes afterwards that concern the request,
    /// the search is repeated. The fourth search is an ordinary `fetch`, which blocks the main actor. In
    /// a private-queue context, use `fetch` inside `perform`, which leaves the main actor free.
    ///
    /// `progress` counts the objects found, and ends the fetch if it is cancelled. Its total may be an estimate; if
    /// that is too low, it is -1 until the fetch ends.
    ///
    /// - Throws: The same errors as `fetch`; `.wrongThread` if this is not a main-queue context.
    @MainActor public func fetchInBackground<T: ManagedObject>(
        _ request: FetchRequest<T>, reporting progress: Progress? = nil
    ) async throws(GraphError) -> FetchResults<T> {
        for _ in 0..<Self.mostBackgroundFetches {
            try await endBackgroundSaves()
            var plan = try request.plan(
                for: try kinds.entity(named: request.entityName, as: T.self), in: self)
            plan.progress = progress
            let search = BackgroundSearch(
                plan, in: request.affectedStores?.map(\.number),
                includesPendingChanges: request.includesPendingChanges, of: self)
            let found = await search.run()
            try await endBackgroundSaves()
            if let storage = try search.storage(of: try found.get(), in: self) {
                let results = try results(of: storage, for: request, until: plan.deadline)
                SaveWatch.finish(progress, unitCount: results.count)
                return results
            }
        }
        let results: FetchResults<T> = try fetch(request)
        SaveWatch.finish(progress, unitCount: results.count)
        return results
    }

    /// Returns the results of a fetch, after the refreshing and prefetching that the request asks for. Only
    /// these read more, and must end at the deadline.
    ///
    /// - Throws: The same errors as `fetch`.
    private func results<T: ManagedObject>(
        of storage: FetchStorage, for request: FetchRequest<T>,
        until deadline: ContinuousClock.Instant?
    ) throws(GraphError) -> FetchResults<T> {
        storage.batchSize = max(0, request.fetchBatchSize)
        let paths = request.relationshipKeyPathsForPrefetching
        if request.shouldRefreshRefetchedObjects || !paths.isEmpty {
            try StoreDeadline.with(deadline) { () throws(GraphError) in
                if request.shouldRefreshRefetchedObjects { try refreshRegistered(of: storage) }
                if !paths.isEmpty {
                    storage.prefetched = try Prefetcher(self, reading: storage.takeState())
                        .prefetch(paths, from: storage.objectsToKeep())
                    events.holdUntilEndOfTurn(storage.prefetched)
                }
            }
        }
        return FetchResults(storage)
    }

    /// Fetches the objects that match a request, and creates all of them immediately.
    ///
    /// - Throws: The same errors as the `fetch` that returns ``FetchResults``.
    @_disfavoredOverload
    public func fetch<T: ManagedObject>(_ request: FetchRequest<T>) throws(GraphError) -> [T] {
        let results: FetchResults<T> = try fetch(request)
        return results.all()
    }

    /// Fetches the IDs of the matching objects, without creating objects.
    ///
    /// - Throws: The same errors as `fetch`.
    public func fetchIDs<T: ManagedObject>(
        _ request: FetchRequest<T>
    ) throws(GraphError) -> [ObjectID] {
        var request = request
        request.returnsObjectsAsFaults = true
        request.relationshipKeyPathsForPrefetching = []
        let results: FetchResults<T> = try fetch(request)
        return results.objectIDs
    }

    /// Fetches values of the matching objects, or summaries of groups of them, without creating objects.
    /// See ``FetchRequest/propertiesToFetch``, ``FetchRequest/propertiesToGroupBy`` and
    /// ``FetchRequest/havingPredicate``. Entries without a value are absent from the dictionaries.
    ///
    /// As in Core Data, the values come from the stores, without unsaved changes. Offset and limit count
    /// dictionaries. Groups are ordered by the properties that they are grouped by, unless there are
    /// sort descriptors. Each matching row is read once, in batches.
    ///
    /// - Throws: The same errors as `fetch`; `.predicate` also for an entry that has several values, or
    ///   that is not defined for a group.
    public func fetchDictionaries<T: ManagedObject>(
        _ request: FetchRequest<T>
    ) throws(GraphError) -> [DictionaryRow] {
        try checkTurn("fetchDictionaries")
        let plan = try request.dictionaryPlan(
            for: try kinds.entity(named: request.entityName, as: T.self), in: self)
        return try source.dictionaries(plan, in: request.affectedStores?.map(\.number))
    }

    /// Executes a request and returns results of its ``FetchRequest/resultType``.
    ///
    /// - Throws: The same errors as `fetch` and ``fetchDictionaries(_:)``.
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

    /// Returns the number of matching objects, after applying offset and limit, without creating
    /// objects.
    ///
    /// - Throws: The same errors as `fetch`.
    public func count<T: ManagedObject>(for request: FetchRequest<T>) throws(GraphError) -> Int {
        try checkTurn("count(for:)")
        let plan = try request.plan(
            for: try kinds.entity(named: request.entityName, as: T.self), in: self)
        return try count(
            plan, in: request.affectedStores?.map(\.number),
            includesPendingChanges: request.includesPendingChanges)
    }

    /// Returns the number of objects that match a plan. The turn was checked.
    ///
    /// - Throws: The same errors as ``fetchStorage(_:in:includesPendingChanges:)``.
    func count(
        _ plan: FetchPlan, in stores: [StoreNumber]?, includesPendingChanges: Bool
    ) throws(GraphError) -> Int {
        if includesPendingChanges { events.end() }
        guard includesPendingChanges, PendingChanges(plan, in: self) != nil else {
            return try source.count(plan, in: stores)
        }
        var plan = plan
        plan.output = .ids
        return try fetchStorage(plan, in: stores, includesPendingChanges: true).count
    }

    /// Fires the faults among the objects. Their values are fetched in batches.
    ///
    /// A fault whose store no longer contains it stays a fault.
    ///
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func fireFaults(of objects: [ManagedObject]) throws(GraphError) {
        try checkTurn("fireFaults(of:)")
        try faults.fire(objects)
    }

    /// Returns the objects with IDs, in the same order, and the size of their rows. Objects that no store contains
    /// are faults.
    ///
    /// - Throws: `.unknownEntity` for an ID of another model; `.store`, `.unknownStore`, `.wrongThread`.
    package func realizedObjects(
        with ids: [ObjectID]
    ) throws(GraphError) -> (objects: [ManagedObject], byteCount: Int) {
        var objects: [ManagedObject] = []
        objects.reserveCapacity(ids.count)
        for id in ids { objects.append(try object(with: id)) }
        try fireFaults(of: objects)
        return (objects, objects.reduce(0) { $0 + ($1.row?.byteCount ?? 0) })
    }

    /// Fetches the objects of a fetched property.
    ///
    /// - Throws: The same errors as `fetch`, and the errors of reading the key paths that begin at
    ///   `object`.
    func fetch(
        _ property: FetchedProperty, of object: ManagedObject
    ) throws(GraphError) -> [ManagedObject] {
        try fetch(try FetchedPropertyRequest(property: property, object: object).request())
    }

    /// Updates registered objects with the fetched rows, except for faults and objects with changes.
    private func refreshRegistered(of storage: FetchStorage) throws(GraphError) {
        let known = (0..<storage.count).compactMap { identityMap[storage.id(at: $0)] }
            .filter { !$0.hasChanges && !$0.isFault }
        let rows = try source.freshRows(for: known.map(\.objectID))
        for row in rows.rows { identityMap[row.id]?.rebase(on: row) }
    }

    /// Executes a plan. The turn was checked.
    ///
    /// - Parameter keepsState: Whether the result keeps the state that was read, so that more can be
    ///   read from it.
    /// - Throws: `.store`, `.noStore`, `.unknownStore`, `.predicate`.
    func fetchStorage(
        _ plan: FetchPlan, in stores: [StoreNumber]?, includesPendingChanges: Bool,
        keepsState: Bool = false
    ) throws(GraphError) -> FetchStorage {
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

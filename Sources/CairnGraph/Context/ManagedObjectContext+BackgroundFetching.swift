import CairnModel
import CairnStore

extension ManagedObjectContext {
    /// How often a background fetch begins again because the context was changed meanwhile.
    private static let mostFetches = 3

    /// Fetches as `fetch` does, and leaves the main actor free while the store is searched: that step runs
    /// on the coordinator's executor.
    ///
    /// The results show the context's unsaved changes as they are when the fetch returns. Refreshing and
    /// prefetching, where the request asks for them, come after the search, on the main actor.
    ///
    /// If the context saves during the search, or has more changes afterwards that concern the request, the
    /// search begins again. The fourth search is that of `fetch`, and blocks the main actor. In a
    /// private-queue context use `fetch` inside of `perform`, which leaves the main actor free.
    ///
    /// - Throws: as `fetch`; `.wrongThread` if this is no main-queue context.
    @MainActor public func fetchInBackground<T: ManagedObject>(
        _ request: FetchRequest<T>
    ) async throws(GraphError) -> FetchResults<T> {
        for _ in 0..<Self.mostFetches {
            try await endBackgroundSaves()
            let plan = try request.plan(for: try entity(of: request), in: self)
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
}

/// A search of a context's source by another thread, and what the context was when it began.
private struct BackgroundSearch {
    private let plan: FetchPlan
    private let stores: [StoreNumber]?
    private let includesPendingChanges: Bool
    private let source: any ObjectSource
    private let saveCount: Int
    private let pending: PendingChanges?

    init(
        _ plan: FetchPlan, in stores: [StoreNumber]?, includesPendingChanges: Bool,
        of context: ManagedObjectContext
    ) {
        if includesPendingChanges { context.processPendingChanges() }
        self.plan = plan
        self.stores = stores
        self.includesPendingChanges = includesPendingChanges
        source = context.source
        saveCount = context.saveCount
        pending = includesPendingChanges ? PendingChanges(plan, in: context) : nil
    }

    @MainActor func run() async -> Result<RowBatch, GraphError> {
        let (source, plan, stores) = (source, pending?.storedPlan ?? plan, stores)
        return await source.executor.runWaiting {
            do throws(GraphError) {
                return .success(try source.fetch(plan, in: stores))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Lays the changes that the context has now over what was found. Returns `nil` if the context has
    /// changed so that the search has to be made again.
    ///
    /// - Throws: `.store`, `.predicate`, `.noStore`.
    func storage(
        of found: RowBatch, in context: ManagedObjectContext
    ) throws(GraphError) -> FetchStorage? {
        if includesPendingChanges { context.processPendingChanges() }
        context.readNewIDs()
        guard context.saveCount == saveCount, context.source === source else { return nil }
        let now = includesPendingChanges ? PendingChanges(plan, in: context) : nil
        switch (pending, now) {
        case (nil, nil): return FetchStorage(found, context: context)
        case (let pending?, let now?) where now.count <= pending.count:
            return try now.storage(over: found, in: stores)
        default: return nil
        }
    }
}

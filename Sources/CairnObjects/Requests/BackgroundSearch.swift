import CairnModel
import CairnRows
import CairnStack
import CairnStore

/// A search of a context's source on another thread, with the context's state when the search began.
struct BackgroundSearch {
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
        if includesPendingChanges { context.events.end() }
        self.plan = plan
        self.stores = stores
        self.includesPendingChanges = includesPendingChanges
        source = context.source
        saveCount = context.savingState.count
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

    /// Merges the context's current unsaved changes into the search's results. Returns `nil` if the
    /// context has changed so much that the search must be repeated.
    ///
    /// - Throws: `.store`, `.predicate`, `.noStore`.
    func storage(
        of found: RowBatch, in context: ManagedObjectContext
    ) throws(GraphError) -> FetchStorage? {
        if includesPendingChanges { context.events.end() }
        context.remoteChanges.readNewIDs()
        guard context.savingState.count == saveCount, context.source === source else { return nil }
        let now = includesPendingChanges ? PendingChanges(plan, in: context) : nil
        switch (pending, now) {
        case (nil, nil): return FetchStorage(found, context: context)
        case (let pending?, let now?) where now.count <= pending.count:
            return try now.storage(over: found, in: stores)
        default: return nil
        }
    }
}

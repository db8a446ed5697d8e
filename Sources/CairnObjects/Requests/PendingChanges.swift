import CairnEngineKit
import CairnModel
import CairnRows
import CairnStack
import CairnStore

/// The unsaved changes of a context that a fetch must show, to be merged with the source's results.
///
/// Only objects of the fetched entity are considered. A predicate over a relationship therefore sees
/// stored values, unless the object that is tested is itself changed or new.
struct PendingChanges {
    private let plan: FetchPlan
    private let context: ManagedObjectContext
    /// The objects that the source has in another state, or not at all.
    private let changed: [ManagedObject]

    /// Returns `nil` if no unsaved change affects the plan.
    init?(_ plan: FetchPlan, in context: ManagedObjectContext) {
        let entities = plan.entityNumbers
        changed = context.tracker.objects.filter {
            $0.hasChanges && entities.contains($0.objectID.entity)
        }
        guard !changed.isEmpty else { return nil }
        self.plan = plan
        self.context = context
    }

    /// The number of changed objects.
    var count: Int { changed.count }

    /// Merges the changes with the results of ``storedPlan``. The plan may have been created when there
    /// were more changes, but not fewer.
    ///
    /// - Throws: `.store`, `.predicate`.
    func storage(
        over stored: RowBatch, in stores: [StoreNumber]?
    ) throws(GraphError) -> FetchStorage {
        let hidden = Set(changed.map(\.objectID))
        let visible = (0..<stored.count).filter { !hidden.contains(stored.id(at: $0)) }
        let matches = try matchingChanges(in: stores)
        let merged = try merge(visible, of: stored, with: matches)
        let page = merged.dropFirst(plan.offset).prefix(plan.limit ?? merged.count)
        return FetchStorage(stored, entries: ContiguousArray(page), context: context)
    }

    /// The plan of the source's part of the fetch. Each changed object may hide one match, so the limit
    /// is raised by the number of changed objects.
    var storedPlan: FetchPlan {
        var wide = plan
        wide.offset = 0
        if let limit = plan.limit {
            let (end, overflows) = limit.addingReportingOverflow(plan.offset)
            let (most, overflowsToo) = end.addingReportingOverflow(changed.count)
            wide.limit = overflows || overflowsToo ? nil : most
        }
        // Sort keys are read from rows.
        if !plan.sorts.isEmpty { wide.output = .rows }
        return wide
    }

    private func matchingChanges(in stores: [StoreNumber]?) throws(GraphError) -> [ManagedObject] {
        let candidates = changed.filter { object in
            !object.isDeleted && context.mayBeStored(object, in: stores)
        }
        guard let predicate = plan.predicate else { return candidates }
        let filter = try compiled(predicate)
        var matches: [ManagedObject] = []
        for object in candidates {
            do {
                try plan.checkCancellation()
            } catch {
                throw GraphError(ofStore: error)
            }
            if try filter.matches(object) { matches.append(object) }
        }
        return matches
    }

    private func compiled(
        _ predicate: BoundPredicate
    ) throws(GraphError) -> ObjectFilter<ContextObjects> {
        do {
            return try ObjectFilter(predicate, source: ContextObjects(context: context))
        } catch {
            throw .predicate(error)
        }
    }

    /// Merges the two lists in the plan's order. Without an order, changed objects come last.
    private func merge(
        _ visible: [Int], of stored: RowBatch, with matches: [ManagedObject]
    ) throws(GraphError) -> [FetchStorage.Entry] {
        guard !plan.sorts.isEmpty else {
            return visible.map(FetchStorage.Entry.stored) + matches.map(FetchStorage.Entry.pending)
        }
        let sorter = ObjectSorter(plan.sorts, source: ContextObjects(context: context))
        var pending: [(SortKey, ManagedObject)] = []
        for object in matches { pending.append((try sorter.key(of: object), object)) }
        pending.sort { $0.0 < $1.0 }
        var merged: [FetchStorage.Entry] = []
        var rest = pending[...]
        for index in visible {
            guard !rest.isEmpty else {
                merged.append(.stored(index))
                continue
            }
            guard let object = context.materialize(stored[row: index]) else { continue }
            let key = try sorter.key(of: object)
            while let first = rest.first, first.0 < key {
                merged.append(.pending(first.1))
                rest.removeFirst()
            }
            merged.append(.stored(index))
        }
        return merged + rest.map { .pending($0.1) }
    }
}

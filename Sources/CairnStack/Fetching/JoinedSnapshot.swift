import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The states of several stores as one snapshot, in which references lead from one store to another.
final class JoinedSnapshot: ReferenceFollowing {
    private let set: SnapshotSet
    private let coordinator: PersistentStoreCoordinator

    init(_ set: SnapshotSet, of coordinator: PersistentStoreCoordinator) {
        self.set = set
        self.coordinator = coordinator
    }

    /// If more objects than this fulfil a condition, the condition is evaluated row by row instead of by the
    /// keys of these objects.
    static let mostKeys = 1_000

    // MARK: Reading

    /// A joined snapshot is not compared with others.
    var generation: StoreGeneration { StoreGeneration(0) }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try FetchPipeline(plan, of: coordinator, following: self).cursor(
            on: holders(of: plan.entity))
    }

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        try FetchPipeline(plan, of: coordinator, following: self).count(
            in: holders(of: plan.entity))
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        let groups = IDGroups(ids)
        var batch = RowBatch()
        for (store, ids) in zip(groups.stores, groups.ids) {
            if let snapshot = snapshot(of: store) { batch.append(try snapshot.rows(for: ids)) }
        }
        return batch
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        let groups = IDGroups(ids)
        var answers: [RelatedIDs] = []
        for (store, ids) in zip(groups.stores, groups.ids) {
            var answer = RelatedIDs()
            if let snapshot = snapshot(of: store) {
                answer = try snapshot.relatedIDs(relationship, of: ids)
            } else {
                for _ in ids { answer.endOwner() }
            }
            answers.append(answer)
        }
        return answers.count > 1 ? groups.inAskedOrder(answers) : answers.first ?? RelatedIDs()
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try snapshot(of: reference.store)?.externalData(reference) ?? Data()
    }

    private func snapshot(of store: StoreNumber) -> (any StoreSnapshot)? {
        set.members.first { $0.attached.number == store }?.snapshot
    }

    private func holders(of entity: Entity) -> SnapshotSet {
        set.filtered { $0.holds(entity.hierarchyNumbers) }
    }

    // MARK: Following references

    /// If several stores contain an object with the key, the reference leads to that in the first store.
    func rows(
        referredToBy reference: Attribute, keys: [Value]
    ) throws(StoreError) -> [Value: Row] {
        guard let target = reference.reference else { return [:] }
        var found: [Value: Row] = [:]
        for start in stride(from: 0, to: keys.count, by: ReferenceTarget.keysPerFetch) {
            let part = keys[start..<min(start + ReferenceTarget.keysPerFetch, keys.count)]
            let batch: RowBatch
            if let key = target.key {
                batch = try allRows(target.plan(for: part, of: key))
            } else {
                batch = try rows(for: part.compactMap { target.objectID($0, in: coordinator) })
            }
            for row in batch.rows {
                let key = value(of: target, in: row)
                if found[key] == nil { found[key] = row }
            }
        }
        return found
    }

    /// Returns the key by which a reference leads to an object.
    private func value(of target: ReferenceTarget, in row: Row) -> Value {
        guard let key = target.key else { return .uri(row.id.uriRepresentation()) }
        guard let slot = key.rowSlot, let layout = coordinator.layouts.layout(of: row.entity) else {
            return .null
        }
        return row.value(layout.slots[slot])
    }

    private func allRows(_ plan: FetchPlan) throws(StoreError) -> RowBatch {
        let cursor = try cursor(plan)
        var rows = RowBatch()
        while let batch = try cursor.next(atMost: set.rowsPerBatch) { rows.append(batch) }
        return rows
    }

    /// Returns the predicate with each comparison through a reference replaced by a comparison of its key with
    /// the keys of those objects that fulfil the comparison. Engines find the matches by the index of the
    /// reference.
    ///
    /// Comparisons of other forms, and those that too many objects fulfil, remain.
    ///
    /// - Parameter plan: The plan of the predicate.
    /// - Parameter report: Gets what the search for these objects has done, if the plan is explained.
    func replacingReferences(
        in predicate: BoundPredicate, of plan: FetchPlan, _ report: inout FetchReport
    ) throws(StoreError) -> BoundPredicate {
        let searches = InnerFetches()
        let replaced = try predicate.replacingComparisons { comparison throws(StoreError) in
            guard let condition = ReferenceCondition(comparison),
                let keys = try keys(fulfilling: condition, for: plan, searches)
            else { return .comparison(comparison) }
            return condition.predicate(among: keys)
        }
        searches.complete(&report)
        return replaced
    }

    private func keys(
        fulfilling condition: ReferenceCondition, for plan: FetchPlan, _ searches: InnerFetches
    ) throws(StoreError) -> [Value]? {
        guard let target = condition.reference.reference else { return nil }
        var search = FetchPlan(
            entity: target.entity, predicate: condition.condition, limit: Self.mostKeys + 1)
        search.isCancellable = plan.isCancellable
        search.isExplained = plan.isExplained
        let cursor = try cursor(search)
        searches.add(cursor)
        var found: [Value: ObjectID] = [:]
        var count = 0
        while let batch = try cursor.next(atMost: set.rowsPerBatch) {
            count += batch.count
            for row in batch.rows { found[value(of: target, in: row)] = row.id }
        }
        guard count <= Self.mostKeys else { return nil }
        found[.null] = nil
        if holders(of: target.entity).members.count > 1 {
            // Another store may contain the object to which the key leads.
            let targets = try rows(referredToBy: condition.reference, keys: Array(found.keys))
            found = found.filter { targets[$0.key]?.id == $0.value }
        }
        return Array(found.keys)
    }
}

extension ReferenceTarget {
    /// The number of keys that are looked up in one fetch.
    package static let keysPerFetch = 500

    /// Returns a plan that finds the objects with these values of an attribute.
    package func plan(for keys: ArraySlice<Value>, of attribute: Attribute) -> FetchPlan {
        let isAsked = BoundComparison(
            .path(BoundPath(leaf: .attribute(attribute))), .in,
            .list(keys.map(BoundExpression.constant)))
        return FetchPlan(entity: entity, predicate: .comparison(isAsked))
    }

    /// Returns the ID that a URI names, or `nil` if it names no object of the entity.
    package func objectID(
        _ uri: Value, in coordinator: PersistentStoreCoordinator
    ) -> ObjectID? {
        guard case .uri(let url) = uri,
            let id = coordinator.managedObjectID(forURIRepresentation: url),
            entity.hierarchyNumbers.contains(id.entity)
        else { return nil }
        return id
    }
}

extension FetchPlan {
    /// The paths of the predicate and of the order.
    var paths: [BoundPath] { (predicate?.paths ?? []) + sorts.map(\.path) }

    /// Whether the predicate or the order follows a reference.
    var followsReferences: Bool {
        entity.model.hasReferences && paths.contains(where: \.followsReference)
    }

    /// The part of the plan for an engine, which follows no references, and the conditions that remain.
    var withoutReferences: (plan: FetchPlan, remaining: [BoundPredicate]) {
        let conjuncts = predicate?.conjuncts ?? []
        let remaining = conjuncts.filter(\.followsReferences)
        var plan = self
        if !remaining.isEmpty {
            let rest = conjuncts.filter { !$0.followsReferences }
            plan.predicate = rest.isEmpty ? nil : .and(rest)
        }
        (plan.sorts, plan.offset, plan.limit, plan.output) = ([], 0, nil, .rows)
        return (plan, remaining)
    }
}

extension StoreList {
    /// Returns the stores to which references lead that are followed along these paths, together with
    /// `stores`, in the order of all stores.
    func adding(
        storesReferredToBy paths: @autoclosure () -> [BoundPath], to stores: [AttachedStore]
    ) -> [AttachedStore] {
        guard model.hasReferences else { return stores }
        let targets = paths().flatMap(\.referredEntities)
        if targets.isEmpty { return stores }
        return self.stores.filter { store in
            stores.contains { $0 === store }
                || targets.contains { store.holds($0.hierarchyNumbers) }
        }
    }
}

extension BoundPath {
    fileprivate var referredEntities: [Entity] {
        guard case .referenced(let reference, let rest) = leaf, let target = reference.reference
        else { return [] }
        return [target.entity] + rest.referredEntities
    }
}

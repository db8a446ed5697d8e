import CairnModel
import CairnStore
import Foundation

/// All objects of a store at one moment: a value, so a snapshot is a copy.
struct FolderState: Sendable {
    var index: FolderIndex
    var rows: [ObjectID: Row]
    var pairs: [FolderPair: FolderPair.Order]

    func highestKey(_ root: EntityNumber) -> Int64 {
        rows.keys.lazy.filter { $0.rootEntity == root }.map(\.key).max() ?? 0
    }

    /// Makes this the state after a save.
    ///
    /// - Throws: `.rowConflicts`, `.uniquenessConflicts`, `.unsupported`.
    mutating func apply(_ request: SaveRequest, in store: FolderStore) throws(StoreError) {
        try checkVersions(request)
        var writer = RowWriter(store: store.number)
        for row in request.updated.map(\.row) + request.inserted.rows {
            writer.append(copyOf: row)
            if store.request.model.entity(numbered: row.entity)?.isAbstract == false { continue }
            throw .unsupported(
                store.request.location, feature: "no entity numbered \(row.entity.rawValue)",
                advice: "Save objects of the model's concrete entities.")
        }
        for deletion in request.deleted { rows[deletion.id] = nil }
        for row in writer.takeBatch().rows { rows[row.id] = row }
        try checkUniqueness(
            Set(request.inserted.ids + request.updated.map(\.row.id)), store.request)
        for change in request.pairs { apply(change) }
        for id in request.deleted.map(\.id) {
            pairs = pairs.filter { $0.key.owner != id && $0.key.member != id }
        }
        index.metadataValues.merge(request.metadata) { _, new in new }
        index.generation += 1
        index.note(rows, pairs, store.request.model)
    }

    private mutating func apply(_ change: PairChange) {
        let pair = FolderPair(
            relationship: change.relationship, owner: change.owner, member: change.member)
        guard change.kind != .delete else { return pairs[pair] = nil }
        guard rows[change.owner] != nil, rows[change.member] != nil else { return }
        let old = pairs[pair]
        // A reordered pair of one-to-many is the member's row; a many-to-many must be there.
        if change.kind == .reorder, old == nil, change.relationship.isManyToMany { return }
        pairs[pair] = FolderPair.Order(
            member: change.orderKey ?? old?.member, owner: change.inverseOrderKey ?? old?.owner)
    }

    private func checkVersions(_ request: SaveRequest) throws(StoreError) {
        let changes =
            request.updated.map { ($0.row.id, $0.previousVersion) }
            + request.deleted.map { ($0.id, $0.previousVersion) }
            + request.inserted.ids.map { ($0, 0) }
        var seen: Set<ObjectID> = []
        let conflicts = changes.filter { id, version in
            !seen.insert(id).inserted || rows[id]?.version ?? 0 != version
        }
        guard !conflicts.isEmpty else { return }
        throw .rowConflicts(
            conflicts.map { RowConflict(id: $0, expectedVersion: $1, stored: rows[$0]) })
    }

    private func checkUniqueness(
        _ changed: Set<ObjectID>, _ request: OpenRequest
    ) throws(StoreError) {
        var conflicts: [UniquenessConflict] = []
        for entity in request.model.entities {
            let members = rows.values.filter { entity.hierarchyNumbers.contains($0.entity) }
            for constraint in entity.description.uniquenessConstraints {
                let groups = Dictionary(grouping: members) { row in
                    constraint.map { request.layouts.value($0, of: row) }
                }
                for (values, group) in groups where group.count > 1 && !values.contains(.null) {
                    let requested = group.map(\.id).filter(changed.contains)
                    if requested.isEmpty { continue }
                    conflicts.append(
                        UniquenessConflict(
                            entity: entity.name, constraint: constraint, requested: requested,
                            stored: group.first { !changed.contains($0.id) }))
                }
            }
        }
        if !conflicts.isEmpty { throw .uniquenessConflicts(conflicts) }
    }

    /// The members of a to-many with their order keys, in order.
    func members(
        _ relationship: Relationship, of owner: ObjectID, _ layouts: RowLayouts
    ) -> [(id: ObjectID, order: Int64)] {
        guard rows[owner] != nil else { return [] }
        var members: [(id: ObjectID, order: Int64)] = []
        if relationship.isManyToMany {
            for (pair, order) in pairs {
                if pair.relationship == relationship, pair.owner == owner {
                    members.append((pair.member, order.member ?? 0))
                } else if let inverse = relationship.inverse, pair.relationship == inverse,
                    pair.member == owner
                {
                    members.append((pair.owner, order.owner ?? 0))
                }
            }
        } else if let inverse = relationship.inverse {
            for row in rows.values
            where inverse.entity.hierarchyNumbers.contains(row.entity)
                && layouts.value(inverse.name, of: row) == .objectID(owner)
            {
                let pair = FolderPair(relationship: relationship, owner: owner, member: row.id)
                members.append((row.id, pairs[pair]?.member ?? .max))
            }
        }
        let isOrdered = relationship.isOrdered
        return members.map { (rows[$0.id]?.id ?? $0.id, isOrdered ? $0.order : 0) }
            .sorted { ($0.order, $0.id.key) < ($1.order, $1.id.key) }
    }
}

/// Two objects that a many-to-many joins, or an owner and a member whose order it keeps.
struct FolderPair: Sendable, Hashable {
    /// Where each stands among the other's.
    struct Order: Sendable {
        var member: Int64?
        var owner: Int64?
    }

    let relationship: Relationship
    let owner: ObjectID
    let member: ObjectID
}

extension FolderIndex {
    /// Takes down which versions count, and the pairs, with names for entities.
    mutating func note(
        _ rows: [ObjectID: Row], _ pairs: [FolderPair: FolderPair.Order],
        _ model: ManagedObjectModel
    ) {
        let named = rows.map { ($1.id.text(in: model), $1.version) }
        versions = Dictionary(named) { first, _ in first }
        storedPairs = pairs.map { pair, order in
            StoredPair(
                entity: pair.relationship.entity.name, relationship: pair.relationship.name,
                owner: pair.owner.text(in: model), member: pair.member.text(in: model),
                memberOrder: order.member, ownerOrder: order.owner)
        }
    }

    /// The pairs by the model's numbers; nil where one is of no relationship of the model.
    func pairs(_ model: ManagedObjectModel, _ store: StoreNumber) -> [FolderPair: FolderPair.Order]?
    {
        var pairs: [FolderPair: FolderPair.Order] = [:]
        for pair in storedPairs {
            guard
                let relationship = model.entity(named: pair.entity)?
                    .relationship(named: pair.relationship),
                let owner = ObjectID(text: pair.owner, in: model, store: store),
                let member = ObjectID(text: pair.member, in: model, store: store)
            else { return nil }
            pairs[FolderPair(relationship: relationship, owner: owner, member: member)] =
                FolderPair.Order(member: pair.memberOrder, owner: pair.ownerOrder)
        }
        return pairs
    }
}

/// A state that is read. Finds all objects of an entity; the coordinator does the rest.
final class FolderSnapshot: StoreSnapshot {
    private let state: FolderState
    private let store: FolderStore

    init(_ state: FolderState, of store: FolderStore) {
        self.state = state
        self.store = store
    }

    var generation: StoreGeneration { StoreGeneration(state.index.generation) }

    private func rows(_ plan: FetchPlan) throws(StoreError) -> [Row] {
        _ = try store.state()
        return state.rows.values.filter { plan.entityNumbers.contains($0.entity) }
            .sorted { $0.key < $1.key }
    }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        let rows = try rows(plan)
        let batch = plan.output == .ids ? RowBatch(ids: rows.map(\.id)) : RowBatch(rows)
        let completed = CompletedStages(
            remainingPredicate: plan.predicate, isSorted: plan.sorts.isEmpty,
            isPaged: plan.offset == 0 && plan.limit == nil)
        return FolderCursor(batch, completed, of: store)
    }

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        guard plan.predicate == nil else { return nil }
        let rest = max(0, try rows(plan).count - plan.offset)
        return min(rest, plan.limit ?? rest)
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        _ = try store.state()
        return RowBatch(Set(ids).compactMap { state.rows[$0] })
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        _ = try store.state()
        var related = RelatedIDs()
        for owner in ids {
            for (id, order) in state.members(relationship, of: owner, store.request.layouts) {
                related.append(id, orderKey: relationship.isOrdered ? order : nil)
            }
            related.endOwner()
        }
        return related
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        throw .externalDataMissing(reference, path: "")
    }
}

/// Gives out the rows of a fetch.
final class FolderCursor: RowCursor {
    let completed: CompletedStages
    private let rows: RowBatch
    private let store: FolderStore
    private var place = 0

    init(_ rows: RowBatch, _ completed: CompletedStages, of store: FolderStore) {
        self.rows = rows
        self.completed = completed
        self.store = store
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        _ = try store.state()
        guard place < rows.count else { return nil }
        defer { place = min(rows.count, place + max(1, count)) }
        return rows.slice(place..<min(rows.count, place + max(1, count)))
    }
}

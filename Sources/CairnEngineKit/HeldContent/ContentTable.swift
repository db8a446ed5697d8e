import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The rows, members and unique values of one state. A copy shares everything that neither copy
/// changes.
struct ContentTable: Sendable, DerivationState {
    let schema: ContentSchema
    /// The rows, by root entity and key.
    private var rows: [EntityNumber: SharedMap<Int64, Row>] = [:]
    /// The keys of the members, each with its order key, by to-many side and the owner's key.
    private var lists: [ContentSchema.Side: SharedMap<Int64, [Int64: Int64?]>] = [:]
    /// The objects that have certain unique values, by uniqueness constraint and values.
    private var owners: [Int: SharedMap<[Value], Set<ObjectID>>] = [:]

    init(_ schema: ContentSchema) { self.schema = schema }

    // MARK: Reading

    func row(_ id: ObjectID) -> Row? {
        id.store == schema.store ? rows[id.rootEntity]?[id.key] : nil
    }

    /// Returns the rows of some entities, sorted by key.
    func rows(of entities: Range<EntityNumber>, root: EntityNumber) -> [Row] {
        (rows[root]?.values ?? []).filter { entities.contains($0.entity) }
            .sorted { $0.key < $1.key }
    }

    /// Returns the members of a to-many relationship in their order, or sorted by key if it is
    /// unordered.
    func members(
        of relationship: Relationship, owner: ObjectID
    ) -> [(row: Row, orderKey: Int64?)] {
        guard owner.rootEntity == relationship.entity.rootEntity.number, row(owner) != nil else {
            return []
        }
        let root = relationship.destination.rootEntity.number
        let found = (lists[ContentSchema.Side(relationship)]?[owner.key] ?? [:]).compactMap {
            (key, orderKey) in
            rows[root]?[key].map { (row: $0, orderKey: relationship.isOrdered ? orderKey : nil) }
        }
        // Members without an order key come last.
        return found.sorted {
            ($0.orderKey == nil ? 1 : 0, $0.orderKey ?? 0, $0.row.key)
                < ($1.orderKey == nil ? 1 : 0, $1.orderKey ?? 0, $1.row.key)
        }
    }

    /// Returns the rows that have the same values as a row under a uniqueness constraint, sorted by
    /// key.
    func rows(clashingWith row: Row, under constraint: Int) -> [Row] {
        guard let values = schema.constraints[constraint].values(of: row) else { return [] }
        return (owners[constraint]?[values] ?? []).compactMap(self.row).sorted { $0.key < $1.key }
    }

    /// Throws `.uniquenessConflicts` with all conflicts of the changed rows, if there are any.
    func checkUniqueness(of rows: [Row], _ changed: Set<ObjectID>) throws(StoreError) {
        try UniquenessConflict.requireNone(
            under: Array(schema.constraints.indices), { schema.constraints[$0] }, of: rows,
            changed: changed
        ) { self.rows(clashingWith: $0, under: $1) }
    }

    // The state in which derived attributes are computed.
    func rows(for ids: [ObjectID]) -> [Row?] { ids.map(row) }

    func members(of relationship: Relationship, in row: Row) -> [ObjectID] {
        members(of: relationship, owner: row.id).map(\.row.id)
    }

    func objects(of entity: Entity) -> Set<ObjectID> {
        Set((rows[entity.rootEntity.number]?.values ?? []).map(\.id))
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        throw .externalDataMissing(reference, path: schema.request.location.description)
    }

    // MARK: Changing

    /// Adds a row, or replaces the row with the same key.
    mutating func set(_ row: Row) {
        let old = self.row(row.id)
        for (slot, side) in schema.toOnes(of: row.entity) {
            let (from, to) = (old.flatMap { $0.destinationKey(slot) }, row.destinationKey(slot))
            if from == to { continue }
            if let from { lists[side]?.change(from, default: [:]) { $0[row.key] = nil } }
            if let to { link(side, to, row.key, .insert, nil) }
        }
        if let old { changeValues(of: old) { $0.remove(old.id) } }
        changeValues(of: row) { $0.insert(row.id) }
        rows[row.rootEntity, default: SharedMap()][row.key] = row
    }

    /// Removes a row together with its pairs.
    mutating func remove(_ id: ObjectID) {
        guard let row = row(id) else { return }
        for (slot, side) in schema.toOnes(of: row.entity) {
            guard let owner = row.destinationKey(slot) else { continue }
            lists[side]?.change(owner, default: [:]) { $0[id.key] = nil }
        }
        for (root, side, other) in schema.pairSides where root == id.rootEntity {
            for member in (lists[side]?[id.key] ?? [:]).keys {
                lists[other]?.change(member, default: [:]) { $0[id.key] = nil }
            }
            lists[side]?[id.key] = nil
        }
        changeValues(of: row) { $0.remove(id) }
        rows[id.rootEntity]?[id.key] = nil
    }

    /// Applies the change of a pair. Has no effect if one of the two objects has no row.
    mutating func apply(_ change: PairChange) {
        guard row(change.owner) != nil, row(change.member) != nil else { return }
        let (owner, member) = (change.owner.key, change.member.key)
        let side = ContentSchema.Side(change.relationship)
        if change.relationship.isManyToMany {
            let other = ContentSchema.Side(inverseOf: change.relationship)
            link(side, owner, member, change.kind, change.orderKey)
            link(other, member, owner, change.kind, change.inverseOrderKey)
        } else if change.kind == .delete, lists[side]?[owner]?[member] != nil {
            // The member's row alone determines the owner, so only the order key is removed.
            lists[side]?.change(owner, default: [:]) { $0.updateValue(nil, forKey: member) }
        } else if change.kind != .delete {
            link(side, owner, member, .reorder, change.orderKey)
        }
    }

    private mutating func link(
        _ side: ContentSchema.Side, _ owner: Int64, _ member: Int64, _ kind: PairChange.Kind,
        _ orderKey: Int64?
    ) {
        lists[side, default: SharedMap()].change(owner, default: [:]) { members in
            if kind == .delete { return members[member] = nil }
            guard let known = members[member] ?? (kind == .insert ? .some(nil) : nil) else {
                return
            }
            members.updateValue(orderKey ?? known, forKey: member)
        }
    }

    private mutating func changeValues(of row: Row, _ change: (inout Set<ObjectID>) -> Void) {
        for (number, constraint) in schema.constraints.enumerated() {
            guard let values = constraint.values(of: row) else { continue }
            owners[number, default: SharedMap()].change(values, default: [], change)
        }
    }
}

extension Row {
    fileprivate func destinationKey(_ slot: RowLayout.Slot) -> Int64? {
        isNull(slot) ? nil : objectID(slot).key
    }
}

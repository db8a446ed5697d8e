import CairnModel
import CairnRows
import CairnStore

/// All rows of a store in one state, and the indexes for finding them. This is a value type.
///
/// Copying a table costs almost nothing, because the copy shares its memory with the original. When one of
/// the two changes, only the chunks that change are copied. A snapshot holds a copy, and a save changes a
/// copy.
package struct StoreTable: Sendable {
    package let schema: TableSchema
    /// The rows, indexed by the root entity's number minus 1. Empty for entities that are not root
    /// entities.
    private var rows: [SortedMap<Int64, RowAddress>]
    /// The number of rows of each concrete entity, indexed by entity number minus 1.
    private var counts: [Int]
    var indexes: [TableIndex<KeyPair>]
    var valueIndexes: [TableIndex<ValueKey>]
    private var pairTables: [PairTable]
    /// The order keys of the members by key, for each ordered one-to-many relationship. An order key
    /// is valid only while the member's row names this owner.
    private var memberOrders: [MemberOrders]
    typealias MemberOrders = SortedMap<Int64, (owner: Int64, orderKey: Int64)>
    private var slabs = TableSlabs()

    /// Creates an empty table.
    package init(_ schema: TableSchema) {
        self.schema = schema
        let entityCount = schema.layouts.model.entities.count
        rows = Array(repeating: SortedMap(), count: entityCount)
        counts = Array(repeating: 0, count: entityCount)
        indexes = Array(repeating: TableIndex(), count: schema.indexCount)
        // Each is built on its own.
        valueIndexes = (0..<schema.valueIndexCount).map { _ in .unmade }
        pairTables = Array(repeating: PairTable(), count: schema.pairTableCount)
        memberOrders = Array(repeating: SortedMap(), count: schema.memberOrderCount)
    }

    // MARK: Rows

    /// Returns the row with a key in a root entity's hierarchy, or `nil` if there is no such row.
    package func row(root: EntityNumber, key: Int64) -> Row? {
        address(root: root, key: key).flatMap(slabs.row(at:))
    }

    /// Returns the address of the row with a key in a root entity's hierarchy, or `nil` if there is
    /// no such row.
    func address(root: EntityNumber, key: Int64) -> RowAddress? { map(root: root)?[key] }

    /// Returns the addresses of the rows with the given keys, in the same order. Keys without a row
    /// are left out.
    ///
    /// - Precondition: the keys are in ascending order.
    func addresses(root: EntityNumber, ofAscending keys: ArraySlice<Int64>) -> [RowAddress] {
        map(root: root)?.values(ofAscending: keys) ?? []
    }

    /// Returns the rows at addresses that this table has returned.
    func run(of addresses: UnsafeBufferPointer<RowAddress>) -> RowRun {
        RowRun(addresses, in: slabs.slabs)
    }

    /// Returns `nil` for a number that no entity of the model has.
    private func map(root: EntityNumber) -> SortedMap<Int64, RowAddress>? {
        let index = Int(root.rawValue) - 1
        return rows.indices.contains(index) ? rows[index] : nil
    }

    /// Returns all rows of a root entity's hierarchy, sorted by key.
    package func rows(root: EntityNumber) -> TableRows {
        TableRows(map(root: root) ?? SortedMap(), in: slabs.slabs)
    }

    /// Returns the number of rows of the entities with these numbers.
    package func count(of entities: Range<EntityNumber>) -> Int {
        (Int(entities.lowerBound.rawValue)..<Int(entities.upperBound.rawValue)).reduce(0) {
            counts.indices.contains($1 - 1) ? $0 + counts[$1 - 1] : $0
        }
    }

    /// The total length of all rows in bytes, without indexes and pairs.
    package var byteCount: Int { slabs.byteCount }

    /// Returns the greatest key in a root entity's hierarchy, or 0 if it has no rows.
    package func highestKey(root: EntityNumber) -> Int64 {
        rows(root: root).highestKey ?? 0
    }

    /// Adds a row. If the table has a row with the same key, it is replaced.
    ///
    /// - Precondition: the row's entity belongs to the model, and its slab belongs to the table.
    package mutating func set(_ row: Row) {
        let address = slabs.add(row)
        let oldAddress = rows[row.rootEntity.index].set(address, for: row.key)
        let old = oldAddress.flatMap { slabs.row(at: $0) }
        if let oldAddress, let old {
            counts[old.entity.index] -= 1
            slabs.remove(oldAddress, byteCount: old.byteCount)
        }
        counts[row.entity.index] += 1
        reindex(old, row)
        if old != nil { removeOldOrders(of: row) }
    }

    /// Removes a member's order keys for owners to which its row no longer refers.
    private mutating func removeOldOrders(of row: Row) {
        for plan in schema.plan(of: row.entity, \.memberOrders) ?? [] {
            guard let order = memberOrders[plan.order][row.key],
                order.owner != Self.owner(of: row, in: plan.owner)
            else { continue }
            memberOrders[plan.order].removeValue(for: row.key)
        }
    }

    /// Adds many rows of a root entity's hierarchy. This is faster than adding them one by one. The table's
    /// indexes are built again when they are used.
    ///
    /// - Precondition: the keys are in ascending order, the first is greater than all keys of the
    ///   root entity in the table, and each row meets the precondition of ``set(_:)``.
    package mutating func load(_ batch: RowBatch, root: EntityNumber) {
        let addresses = slabs.add(batch)
        rows[root.index].append(
            count: addresses.count, key: { batch.pointer(at: $0).key }, value: { addresses[$0] })
        for index in batch.rowIndices { counts[batch.pointer(at: index).entity.index] += 1 }
        for index in indexes.indices { indexes[index] = .unmade }
        for index in valueIndexes.indices { valueIndexes[index] = .unmade }
    }

    /// Removes a row with its pairs and order keys. Has no effect if there is no such row.
    package mutating func removeRow(root: EntityNumber, key: Int64) {
        guard let row = row(root: root, key: key), let plan = schema.plan(of: row.entity, \.self)
        else {
            return
        }
        if let address = rows[root.index].removeValue(for: key) {
            slabs.remove(address, byteCount: row.byteCount)
        }
        counts[row.entity.index] -= 1
        reindex(row, nil)
        for table in plan.ownedPairTables { pairTables[table].removeOwner(key) }
        for table in plan.memberPairTables { pairTables[table].removeMember(key) }
        for plan in plan.memberOrders { memberOrders[plan.order].removeValue(for: key) }
    }

    /// Moves the rows that are still used in sparse slabs to a batch that the body creates.
    package mutating func compact(_ copy: ([Row]) -> RowBatch) {
        let used = slabs.takeSparseSlabs().filter { row in
            self.row(root: row.rootEntity, key: row.key).map { Row.hasSameAddress($0, row) }
                ?? false
        }
        if used.isEmpty { return }
        for new in copy(used).rows {
            let address = slabs.add(new)
            if let old = rows[new.rootEntity.index].set(address, for: new.key) {
                slabs.remove(old, byteCount: new.byteCount)
            }
        }
    }

    // MARK: Relationships

    func pairTable(_ number: Int) -> PairTable { pairTables[number] }

    func memberOrder(_ number: Int) -> MemberOrders { memberOrders[number] }

    /// Changes a pair. Has no effect if one of the two objects has no row, or if no pairs are stored for the
    /// relationship.
    package mutating func apply(_ change: PairChange) {
        guard row(root: change.owner.rootEntity, key: change.owner.key) != nil,
            let member = row(root: change.member.rootEntity, key: change.member.key)
        else { return }
        apply(change, to: member)
    }

    /// Changes a pair of two objects that have rows.
    package mutating func apply(_ change: PairChange, to member: Row) {
        guard let memberIndexes = schema.memberIndexes(of: change.relationship) else { return }
        switch memberIndexes {
        case .pairs(let table, true, let isSymmetric):
            pairTables[table].apply(change)
            if isSymmetric { pairTables[table].apply(change.reversed) }
        case .pairs(let table, false, _):
            pairTables[table].apply(change.reversed)
        case .members(_, let order?):
            applyOrder(change, of: member, order: order)
        case .members(_, nil): break
        }
    }

    /// Sets or removes the order key of a member. Has no effect if the member's row does not refer to the
    /// owner.
    private mutating func applyOrder(_ change: PairChange, of member: Row, order: Int) {
        let plan = schema.plan(of: member.entity, \.memberOrders)?.first { $0.order == order }
        guard let plan, Self.owner(of: member, in: plan.owner) == change.owner.key else { return }
        if change.kind == .delete {
            memberOrders[order].removeValue(for: change.member.key)
        } else if let orderKey = change.orderKey {
            memberOrders[order].set((change.owner.key, orderKey), for: change.member.key)
        }
    }

    /// Returns the key of the owner to which a member's row refers, or `nil` if the row refers to no owner.
    private static func owner(of member: Row, in slot: RowLayout.Slot) -> Int64? {
        member.isNull(slot) ? nil : member.objectID(slot).key
    }

    /// Calls the body with the row of each member of a to-many relationship, in the relationship's order, or
    /// sorted by key if the relationship is unordered.
    ///
    /// If the relationship is ordered, the body also receives the member's order key. Members without a
    /// stored order key come last. The body is not called if the relationship is transient or belongs to
    /// another model.
    package func forEachMember(
        of relationship: Relationship, owner: Int64, _ body: (Row, Int64?) -> Void
    ) {
        forEachMemberAndAddress(of: relationship, owner: owner) { row, orderKey, _ in
            body(row, orderKey)
        }
    }

    /// Calls the body with the key of each member of an unordered to-many relationship, in
    /// ascending order, without reading rows.
    ///
    /// Returns `false`, without calling the body, if the rows have to be read. That is the case if
    /// the relationship is ordered, if its members may have different entities, or if a pair may
    /// lead to a row that does not exist.
    func forEachMemberKey(
        of relationship: Relationship, owner: Int64, _ body: (Int64) -> Void
    ) -> Bool {
        guard !relationship.isOrdered,
            case .members(let index, _)? = schema.memberIndexes(of: relationship),
            relationship.destination.rootEntity.hierarchy.count == 1
        else { return false }
        entries(ofIndex: index).forEach(beginningWith: owner) { member, _ in body(member) }
        return true
    }

    /// Like ``forEachMember(of:owner:_:)``, but also passes the address of each member's row.
    func forEachMemberAndAddress(
        of relationship: Relationship, owner: Int64, _ body: (Row, Int64?, RowAddress) -> Void
    ) {
        let root = relationship.destination.rootEntity.number
        var last: Int64?
        for member in members(of: relationship, owner: owner) {
            guard let address = address(root: root, key: member.key),
                let row = slabs.row(at: address)
            else { continue }
            last = member.orderKey ?? last.map { $0 < .max ? $0 + 1 : $0 } ?? 0
            body(row, relationship.isOrdered ? last : nil, address)
        }
    }

    private func members(of relationship: Relationship, owner: Int64) -> [Member] {
        var members: [Member] = []
        switch schema.memberIndexes(of: relationship) {
        case .pairs(let table, let isForward, _):
            let pairs = isForward ? pairTables[table].forward : pairTables[table].backward
            pairs.forEach(beginningWith: owner) { members.append(Member(key: $0, orderKey: $1)) }
        case .members(let index, let orderNumber):
            entries(ofIndex: index).forEach(beginningWith: owner) { member, _ in
                let order = orderNumber.flatMap { memberOrders[$0][member] }
                let orderKey = order?.owner == owner ? order?.orderKey : nil
                members.append(Member(key: member, orderKey: orderKey))
            }
        case nil: break
        }
        if relationship.isOrdered { members.sort() }
        return members
    }
}

/// A member of a to-many relationship, sorted as in ordered relationships.
private struct Member: Comparable {
    let key: Int64
    /// `nil` if no order key is stored for the member.
    let orderKey: Int64?

    static func < (left: Self, right: Self) -> Bool {
        switch (left.orderKey, right.orderKey) {
        case (let a?, let b?) where a != b: a < b
        case (_?, nil): true
        case (nil, _?): false
        default: left.key < right.key
        }
    }
}

extension EntityNumber {
    /// The index in arrays with one element per entity.
    var index: Int { Int(rawValue) - 1 }
}

extension PairTable {
    mutating func apply(_ change: PairChange) {
        let (owner, member) = (change.owner.key, change.member.key)
        switch change.kind {
        case .insert:
            insert(
                owner: owner, member: member, orderKey: change.orderKey,
                inverseOrderKey: change.inverseOrderKey)
        case .reorder:
            reorder(
                owner: owner, member: member, orderKey: change.orderKey,
                inverseOrderKey: change.inverseOrderKey)
        case .delete: delete(owner: owner, member: member)
        }
    }
}

extension PairChange {
    /// The same change, seen from the other side.
    fileprivate var reversed: PairChange {
        PairChange(
            kind, relationship, owner: member, member: owner, orderKey: inverseOrderKey,
            inverseOrderKey: orderKey)
    }
}

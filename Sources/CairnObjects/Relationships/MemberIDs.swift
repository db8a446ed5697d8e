import CairnModel
import CairnRows
import CairnStack

/// The members of one to-many relationship of one object: the stored members and the changes since they
/// were read.
///
/// If the stored members are unknown, the relationship is a fault. Additions and removals do not need the
/// stored members, so changing a large relationship loads no members. All IDs are the context's current
/// IDs. Code that changes an object's ID calls ``replaceIDs(_:)``.
struct MemberIDs {
    /// The stored members. `nil` if the relationship is a fault.
    private(set) var stored: [ObjectID]?
    /// An index for finding stored members. `nil` if there are no stored members. Copies with the same
    /// stored members share it.
    private var index: MemberIndex?
    /// The number of leading stored members that are known to have permanent IDs. No new object is one of them,
    /// and a save that moves no objects does not check them again.
    private var permanentCount = 0
    /// The order key of each stored member. Empty if the relationship is unordered.
    private(set) var storedKeys: [Int64] = []
    private var additions = OrderedIDs() { didSet { forgetList() } }
    /// The stored members that were removed. While the stored members are unknown, this may contain
    /// objects that are not stored members.
    private(set) var removed: Set<ObjectID> = [] { didSet { forgetList() } }
    /// The order of all members, if a change set one. If it is `nil`, the stored members come first and
    /// the added ones follow.
    private var arrangement: IndexedOrder<ObjectID>?
    /// All members by index. `nil` if a member can be found by its index in the stored and added members
    /// alone.
    private var list: MemberList?

    /// The members of a new object, which has no stored members.
    static var none: MemberIDs { MemberIDs(stored: []) }

    init() {}

    private init(stored: [ObjectID]) { setStored(stored) }

    private mutating func setStored(_ ids: [ObjectID]?) {
        stored = ids
        index = ids?.isEmpty == false ? MemberIndex() : nil
        permanentCount = ids.map { $0.firstIndex(where: \.isTemporary) ?? $0.count } ?? 0
        forgetList()
    }

    private mutating func forgetList() {
        list = removed.isEmpty && additions.hasNoGaps ? nil : MemberList()
    }

    var isFault: Bool { stored == nil }

    /// The added members, in the order in which they were added.
    var added: [ObjectID] { additions.ids }

    /// Whether a save has changes of the relationship to write.
    var hasChanges: Bool {
        !additions.isEmpty || !removed.isEmpty || (arrangement != nil && !isAsStored)
    }

    /// Whether the order that a change set is that of the stored members.
    private var isAsStored: Bool {
        guard let arrangement, let stored else { return false }
        return arrangement.isEqual(to: stored)
    }

    /// All members. Only the added members if the relationship is a fault.
    var current: [ObjectID] { arrangement?.elements ?? unarranged }

    /// The members in their default order, ignoring ``arrangement``.
    private var unarranged: [ObjectID] {
        guard let stored else { return added }
        if removed.isEmpty, additions.isEmpty { return stored }
        return (removed.isEmpty ? stored : stored.filter { !removed.contains($0) }) + added
    }

    /// The number of members. Only the number of added members if the relationship is a fault.
    var count: Int {
        arrangement?.count ?? ((stored?.count ?? 0) - removed.count + additions.count)
    }

    /// Returns the member at an index, or `nil` if the index is out of bounds. The relationship must
    /// not be a fault.
    func member(at index: Int) -> ObjectID? {
        guard index >= 0, index < count else { return nil }
        if let arrangement { return arrangement[index] }
        if let list { return list.ids(of: self)[index] }
        guard let stored, index < stored.count else { return added[index - (stored?.count ?? 0)] }
        return stored[index]
    }

    /// Creates an arrangement, so that looking up indices stays fast while members are removed one by
    /// one. Otherwise, each removal would pass over all previously removed members. This arrangement does
    /// not count as a change of the order: it is dropped when the relationship becomes a fault.
    mutating func indexPositions() {
        if arrangement == nil, list != nil { arrangement = IndexedOrder(unarranged) }
    }

    /// Returns the index of a member, or `nil` if the object is not a member. The relationship must not
    /// be a fault.
    func index(of id: ObjectID) -> Int? {
        arrangement.map { $0.index(of: id) } ?? current.firstIndex(of: id)
    }

    /// Returns whether the object is a member, or `nil` if this is unknown because the relationship is a
    /// fault.
    func contains(_ id: ObjectID) -> Bool? {
        if isAdded(id) { return true }
        if removed.contains(id) { return false }
        return stored == nil ? nil : isStored(id)
    }

    private func isStored(_ id: ObjectID) -> Bool {
        guard let stored, let index else { return false }
        if id.isTemporary, permanentCount == stored.count { return false }
        return index.contains(id, among: stored)
    }

    /// Returns whether the object is one of ``added``.
    func isAdded(_ id: ObjectID) -> Bool { additions.contains(id) }

    /// A change of the members.
    enum Change {
        /// Adds an object that is not a member. If the object was removed before, it is added at the end
        /// if `keepsOrder` is `true`, and otherwise returns to its stored position.
        case add(ObjectID, keepsOrder: Bool)
        case remove(ObjectID)
        /// Moves a member to an index among the other members. The relationship must not be a fault.
        case move(ObjectID, to: Int)
        /// Puts the current members into another order. The relationship must not be a fault.
        case arrange([ObjectID])
        /// Replaces all members with these, in this order. The relationship must not be a fault.
        case replace([ObjectID])
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .add(let id, let keepsOrder): add(id, keepsOrder: keepsOrder)
        case .remove(let id): remove(id)
        case .move(let id, let index): move(id, to: index)
        case .arrange(let ids): arrange(ids)
        case .replace(let ids): replace(with: ids)
        }
    }

    /// Replaces all members with these, in this order.
    ///
    /// - Precondition: The relationship is not a fault.
    private mutating func replace(with ids: [ObjectID]) {
        let wanted = Set(ids)
        let stored = stored ?? []
        removed = Set(stored.filter { !wanted.contains($0) })
        additions = OrderedIDs(ids.filter { !isStored($0) })
        arrangement = nil
        if current != ids { arrangement = IndexedOrder(ids) }
    }

    /// Adds an object that is not a member.
    ///
    /// - Parameter keepsOrder: Whether an object that was removed before is added at the end. Otherwise,
    ///   it returns to its stored position.
    mutating func add(_ id: ObjectID, keepsOrder: Bool) {
        if !keepsOrder, !removed.isEmpty, removed.remove(id) != nil { return }
        additions.append(id)
        arrangement?.append(id)
    }

    /// Removes a member.
    mutating func remove(_ id: ObjectID) {
        if !additions.remove(id) { removed.insert(id) }
        arrangement?.remove(id)
    }

    /// Moves a member to an index among the other members.
    ///
    /// - Precondition: The relationship is not a fault, and `index` is the index of a member.
    private mutating func move(_ id: ObjectID, to index: Int) {
        if arrangement == nil { arrangement = IndexedOrder(current) }
        arrangement?.move(id, to: index)
    }

    /// Sets the order of the members.
    ///
    /// - Precondition: The relationship is not a fault, and `ids` are its current members.
    mutating func arrange(_ ids: [ObjectID]) {
        arrangement = IndexedOrder(ids)
    }

    /// Sets the stored members of a fault. Changes made while it was a fault are kept.
    mutating func load(_ ids: [ObjectID], keys: [Int64]) {
        setStored(ids)
        storedKeys = keys
        guard !removed.isEmpty || !additions.isEmpty || arrangement != nil else { return }
        let known = Set(ids)
        removed.formIntersection(known)
        additions = OrderedIDs(added.filter { !known.contains($0) || removed.contains($0) })
        if let wanted = arrangement {
            arrangement = nil
            arrangement = IndexedOrder(Self.arrange(current, as: wanted.elements))
        }
    }

    /// Puts members into the wanted order. Each member that `wanted` does not contain stays after the
    /// wanted member that precedes it now, or at the start if there is no such member.
    private static func arrange(_ members: [ObjectID], as wanted: [ObjectID]) -> [ObjectID] {
        let named = Set(wanted)
        var followers: [ObjectID?: [ObjectID]] = [:]
        var last: ObjectID?
        for member in members {
            if named.contains(member) {
                last = member
            } else {
                followers[last, default: []].append(member)
            }
        }
        let present = Set(members)
        let kept = wanted.filter(present.contains)
        return (followers[nil] ?? []) + kept.flatMap { [$0] + (followers[$0] ?? []) }
    }

    /// Discards the stored members. Unless `keepingChanges` is `true`, also discards the changes,
    /// including a changed order.
    mutating func turnIntoFault(keepingChanges: Bool) {
        guard keepingChanges else {
            self = MemberIDs()
            return
        }
        if isAsStored {
            // A member that was removed and added again is where it was, and does not move to the end.
            rollBack()
        } else if arrangement?.isEqual(to: unarranged) == true {
            arrangement = nil
        }
        setStored(nil)
        storedKeys = []
    }

    /// Makes the current members the stored ones.
    ///
    /// - Parameter keys: The order key of each member. `nil` if the relationship is unordered.
    mutating func markSaved(keys: [ObjectID: Int64]?) {
        guard stored != nil else {
            self = MemberIDs()
            return
        }
        if removed.isEmpty, arrangement == nil, keys == nil { return storeAdditions() }
        let members = current
        self = MemberIDs(stored: members)
        if let keys { storedKeys = members.map { keys[$0] ?? 0 } }
    }

    /// Appends the added members to the stored ones. The cost does not depend on the number of stored
    /// members.
    private mutating func storeAdditions() {
        let new = added
        guard !new.isEmpty else { return }
        stored?.append(contentsOf: new)
        additions = OrderedIDs()
        storedKeys = []
        if isKnownUniquelyReferenced(&index) { index?.add(new) } else { index = MemberIndex() }
    }

    /// Marks all current members as added, because they are not in a store.
    mutating func markUnsaved() {
        let members = current
        self = MemberIDs(stored: [])
        additions = OrderedIDs(members)
    }

    /// Undoes all changes.
    mutating func rollBack() {
        additions = OrderedIDs()
        removed = []
        arrangement = nil
    }

    /// Replaces IDs with the new IDs of the same objects.
    mutating func replaceIDs(_ replacements: IDReplacements) {
        if replacements.replacesPermanentIDs { permanentCount = 0 }
        replaceStored(replacements)
        if replacements.count < additions.count {
            for (old, new) in replacements { additions.replace(old, by: new) }
        } else if !additions.isEmpty {
            additions = OrderedIDs(added.map(replacements.current))
        }
        if !removed.isEmpty { removed = Set(removed.map(replacements.current)) }
        arrangement = arrangement.map { IndexedOrder($0.elements.map(replacements.current)) }
    }

    /// Replaces the IDs of stored members that are not yet known to be permanent.
    private mutating func replaceStored(_ replacements: IDReplacements) {
        guard let count = stored?.count, permanentCount < count else { return }
        StepCounter.report(count - permanentCount)
        var (isFirst, areAllPermanent) = (true, true)
        for position in permanentCount..<count {
            guard let old = stored?[position] else { continue }
            let new = replacements.current(old)
            if new.isTemporary { areAllPermanent = false }
            if areAllPermanent { permanentCount = position + 1 }
            guard new != old else { continue }
            if isFirst, !isKnownUniquelyReferenced(&index) { index = MemberIndex() }
            isFirst = false
            stored?[position] = new
            index?.replace(old, by: new)
        }
    }
}

/// Finds a member in a long array of members, with a table that is built by the first search.
///
/// Code that changes the members updates the index if no other copy uses it, and otherwise replaces it
/// with a new index.
private final class MemberIndex {
    /// The number of members up to which a linear search is faster than building a table.
    private static let fewest = 16

    private var table: IDTable?

    /// Returns whether the members contain an ID.
    ///
    /// - Parameter ids: All members. They must be the members of earlier calls, with the changes made
    ///   since.
    func contains(_ id: ObjectID, among ids: [ObjectID]) -> Bool {
        if ids.count <= Self.fewest { return ids.contains(id) }
        if let table { return table.contains(id) }
        StepCounter.report(ids.count)
        let made = IDTable(ids)
        table = made
        return made.contains(id)
    }

    func add(_ ids: [ObjectID]) {
        for id in ids { table?.insert(id, 0) }
    }

    func replace(_ old: ObjectID, by new: ObjectID) {
        if table?.remove(old) == true { table?.insert(new, 0) }
    }
}

/// All members of a relationship from which some were removed, collected when an index is first looked
/// up. Without this list, code that iterates over indices would collect the members again for each index.
/// Every change of the members replaces the list.
private final class MemberList {
    private var ids: [ObjectID]?

    func ids(of members: MemberIDs) -> [ObjectID] {
        if let ids { return ids }
        let gathered = members.current
        ids = gathered
        return gathered
    }
}

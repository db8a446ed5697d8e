import CairnModel

/// The members of one to-many relationship of one object: the stored members and the changes since.
///
/// If the stored members are unknown, the relationship is a fault. Additions and removals are kept
/// without them, so a change to a large relationship loads none of its members. All IDs are the
/// context's current ones: code that gives an object another ID calls ``replaceIDs(_:)``.
struct MemberIDs {
    /// The stored members. `nil` if the relationship is a fault.
    private(set) var stored: [ObjectID]?
    /// Finds stored members quickly. `nil` if there are no stored members. Copies with the same stored
    /// members share it.
    private var index: MemberIndex?
    /// How many of the first stored members are known to have permanent IDs. Permanent IDs never
    /// change, so a save does not look at these members again.
    private var permanentCount = 0
    /// The order key of each stored member. Empty if the relationship has no order.
    private(set) var storedKeys: [Int64] = []
    private var additions = OrderedIDs() { didSet { forgetList() } }
    /// Stored members that were removed. While the stored members are unknown, this may contain objects
    /// that are not stored members.
    private(set) var removed: Set<ObjectID> = [] { didSet { forgetList() } }
    /// The order of all members that a change asked for. If it is `nil`, the stored members come first
    /// and the added ones follow.
    private var arrangement: IndexedOrder<ObjectID>?
    /// All members by index. `nil` if the stored and added members alone tell which member has an
    /// index.
    private var list: MemberList?

    /// The members of a new object: none are stored.
    static var none: MemberIDs { MemberIDs(stored: []) }

    init() {}

    private init(stored: [ObjectID]) { setStored(stored) }

    private mutating func setStored(_ ids: [ObjectID]?) {
        stored = ids
        index = ids?.isEmpty == false ? MemberIndex() : nil
        permanentCount = 0
        forgetList()
    }

    private mutating func forgetList() {
        list = removed.isEmpty && additions.hasNoGaps ? nil : MemberList()
    }

    var isFault: Bool { stored == nil }

    /// Members that are not stored, in the order in which they came.
    var added: [ObjectID] { additions.ids }

    /// Whether a save has something to say about the relationship.
    var hasChanges: Bool {
        !additions.isEmpty || !removed.isEmpty || (arrangement != nil && !isAsStored)
    }

    /// Whether the order that was asked for is that of the stored members.
    private var isAsStored: Bool {
        guard let arrangement, let stored else { return false }
        return arrangement.isEqual(to: stored)
    }

    /// All members. If the relationship is a fault, only the added ones.
    var current: [ObjectID] { arrangement?.elements ?? unarranged }

    /// The members in the order that they have if no order was asked for.
    private var unarranged: [ObjectID] {
        guard let stored else { return added }
        if removed.isEmpty, additions.isEmpty { return stored }
        return (removed.isEmpty ? stored : stored.filter { !removed.contains($0) }) + added
    }

    /// The number of members. If the relationship is a fault, the number of added members only.
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

    /// Makes indices quick to find while members are removed one by one. Otherwise, each removal would
    /// pass over all removed members again. The arrangement that this creates does not count as an
    /// order that was asked for: it is dropped when the relationship becomes a fault.
    mutating func indexPositions() {
        if arrangement == nil, list != nil { arrangement = IndexedOrder(unarranged) }
    }

    /// Returns the index of a member, or `nil` if the object is not a member. The relationship must not
    /// be a fault.
    func index(of id: ObjectID) -> Int? {
        arrangement.map { $0.index(of: id) } ?? current.firstIndex(of: id)
    }

    /// Whether the object is a member. `nil` if this is not known because the relationship is a fault.
    func contains(_ id: ObjectID) -> Bool? {
        if isAdded(id) { return true }
        if removed.contains(id) { return false }
        return stored == nil ? nil : isStored(id)
    }

    private func isStored(_ id: ObjectID) -> Bool {
        guard let stored, let index else { return false }
        return index.contains(id, among: stored)
    }

    /// Whether the object is one of ``added``.
    func isAdded(_ id: ObjectID) -> Bool { additions.contains(id) }

    /// One change of the members.
    enum Change {
        /// Adds an object that is not a member. If `keepsOrder` is `true`, an object that was removed
        /// before goes to the end. Otherwise, it returns to its stored position.
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
    /// - Parameter keepsOrder: whether an object that was removed before goes to the end. Otherwise, it
    ///   returns to its stored position.
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

    /// - Precondition: The relationship is not a fault, and `index` is the index of a member.
    private mutating func move(_ id: ObjectID, to index: Int) {
        if arrangement == nil { arrangement = IndexedOrder(current) }
        arrangement?.move(id, to: index)
    }

    /// Puts the members into another order.
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

    /// Puts members into the wanted order. Members that `wanted` does not contain stay after the one in
    /// `wanted` that precedes them now, or at the start if there is no such member.
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

    /// Forgets the stored members, and the changes too unless `keepingChanges` is `true`. An order that
    /// was asked for is a change.
    mutating func turnIntoFault(keepingChanges: Bool) {
        guard keepingChanges else {
            self = MemberIDs()
            return
        }
        if isAsStored || arrangement?.isEqual(to: unarranged) == true { arrangement = nil }
        setStored(nil)
        storedKeys = []
    }

    /// Makes the current members the stored ones.
    ///
    /// - Parameter keys: the order key of each member. `nil` if the relationship has no order.
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

    /// Makes the added members stored ones, after those that are stored already. The cost does not grow
    /// with the number of those.
    private mutating func storeAdditions() {
        let new = added
        guard !new.isEmpty else { return }
        stored?.append(contentsOf: new)
        additions = OrderedIDs()
        storedKeys = []
        if isKnownUniquelyReferenced(&index) {
            index?.add(new)
        } else {
            index = MemberIndex()
        }
    }

    /// Marks all current members as added, because no store has them.
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

    /// Replaces temporary IDs with the IDs that the same objects have now.
    mutating func replaceIDs(_ replacements: IDReplacements) {
        func replaced(_ id: ObjectID) -> ObjectID {
            id.isTemporary ? replacements[id] ?? id : id
        }
        replaceStored(replaced)
        if replacements.count < additions.count {
            for (old, new) in replacements { additions.replace(old, by: new) }
        } else if !additions.isEmpty {
            additions = OrderedIDs(added.map(replaced))
        }
        if !removed.isEmpty { removed = Set(removed.map(replaced)) }
        arrangement = arrangement.map { IndexedOrder($0.elements.map(replaced)) }
    }

    /// Replaces the IDs of stored members that are not yet known to be permanent.
    private mutating func replaceStored(_ replaced: (ObjectID) -> ObjectID) {
        guard let count = stored?.count, permanentCount < count else { return }
        var (isFirst, areAllPermanent) = (true, true)
        for position in permanentCount..<count {
            guard let old = stored?[position], old.isTemporary else {
                if areAllPermanent { permanentCount = position + 1 }
                continue
            }
            let new = replaced(old)
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

/// Finds a member among many, with a table that is built by the first search.
///
/// Code that changes the members updates the index if nobody else holds it, and otherwise replaces it
/// with a new one.
private final class MemberIndex {
    /// Up to this number of members, a linear search is faster than building a table.
    private static let fewest = 16

    private var table: IDTable?

    /// - Parameter ids: all members, the same ones that earlier calls and changes named.
    func contains(_ id: ObjectID, among ids: [ObjectID]) -> Bool {
        if ids.count <= Self.fewest { return ids.contains(id) }
        if let table { return table.contains(id) }
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

/// The members of a relationship from which some were removed, gathered once, when an index is first
/// asked for. Code that walks over indices would otherwise gather them for each index. Every change of
/// the members replaces the list.
private final class MemberList {
    private var ids: [ObjectID]?

    func ids(of members: MemberIDs) -> [ObjectID] {
        if let ids { return ids }
        let gathered = members.current
        ids = gathered
        return gathered
    }
}

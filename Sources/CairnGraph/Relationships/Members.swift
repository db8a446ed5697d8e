import CairnModel

/// The members of one to-many of one object: those the store has, and what was changed since.
///
/// The stored ones may be unknown (a relationship fault); additions and removals are kept without
/// them, so that a change to a large relationship loads none of it. IDs are the context's current
/// ones: whoever gives an object another ID calls ``replaceIDs(_:)``.
struct Members {
    /// The stored members; nil: a fault.
    private(set) var stored: [ObjectID]?
    /// Answers quickly whether an object is one of the stored members; nil: there are none. Shared
    /// with copies that have the same ones.
    private var index: MemberIndex?
    /// So many of the first stored members are known to have permanent IDs, which never change: a
    /// save need not look at them again.
    private var permanentCount = 0
    /// The order key of each stored member; empty where the relationship has no order.
    private(set) var storedKeys: [Int64] = []
    private var additions = OrderedIDs() { didSet { forgetList() } }
    /// Stored members that are none any more. While the stored ones are unknown, some may never
    /// have been any.
    private(set) var removed: Set<ObjectID> = [] { didSet { forgetList() } }
    /// The order that was asked for, of all members; nil: stored ones first, then added ones.
    private var arrangement: IndexedOrder<ObjectID>?
    /// All members by place, where that is not told by the stored and added ones; nil: it is.
    private var list: MemberList?

    /// The members of a new object: none are stored.
    static var none: Members { Members(stored: []) }

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

    /// All members; of a fault, the added ones only.
    var current: [ObjectID] { arrangement?.elements ?? unarranged }

    /// The members in the order that they have where none was asked for.
    private var unarranged: [ObjectID] {
        guard let stored else { return added }
        if removed.isEmpty, additions.isEmpty { return stored }
        return (removed.isEmpty ? stored : stored.filter { !removed.contains($0) }) + added
    }

    /// How many members there are; of a fault, the added ones only.
    var count: Int {
        arrangement?.count ?? ((stored?.count ?? 0) - removed.count + additions.count)
    }

    /// The member at a place of what is no fault; nil beyond the end.
    func member(at index: Int) -> ObjectID? {
        guard index >= 0, index < count else { return nil }
        if let arrangement { return arrangement[index] }
        if let list { return list.ids(of: self)[index] }
        guard let stored, index < stored.count else { return added[index - (stored?.count ?? 0)] }
        return stored[index]
    }

    /// Makes places quick to find while members are removed one by one, which would have to be
    /// passed over each time. No order that is asked for: it is forgotten where it is none.
    mutating func indexPlaces() {
        if arrangement == nil, list != nil { arrangement = IndexedOrder(unarranged) }
    }

    /// The place of a member of what is no fault; nil where the object is none.
    func index(of id: ObjectID) -> Int? {
        arrangement.map { $0.index(of: id) } ?? current.firstIndex(of: id)
    }

    /// Whether the object is a member; nil: a fault, which cannot tell.
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
        /// Adds a member that is none; `keepsOrder`: one that was removed and comes back goes to
        /// the end.
        case add(ObjectID, keepsOrder: Bool)
        case remove(ObjectID)
        /// Moves a member of what is no fault to a place among the others.
        case move(ObjectID, to: Int)
        /// Puts the current members of what is no fault into another order.
        case arrange([ObjectID])
        /// Makes these the members of what is no fault, in this order.
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

    /// Makes these the members, in this order.
    ///
    /// - Precondition: not a fault.
    private mutating func replace(with ids: [ObjectID]) {
        let wanted = Set(ids)
        let stored = stored ?? []
        removed = Set(stored.filter { !wanted.contains($0) })
        additions = OrderedIDs(ids.filter { !isStored($0) })
        arrangement = nil
        if current != ids { arrangement = IndexedOrder(ids) }
    }

    /// Adds a member that is none.
    ///
    /// - Parameter keepsOrder: whether a member that was removed and comes back goes to the end.
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

    /// - Precondition: not a fault; the place is one of a member.
    private mutating func move(_ id: ObjectID, to index: Int) {
        if arrangement == nil { arrangement = IndexedOrder(current) }
        arrangement?.move(id, to: index)
    }

    /// Puts the members into another order.
    ///
    /// - Precondition: not a fault; `ids` are the current members.
    mutating func arrange(_ ids: [ObjectID]) {
        arrangement = IndexedOrder(ids)
    }

    /// Makes the stored members known.
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

    /// Puts members into the wanted order. One that it does not name stays behind the member that
    /// it is behind of now.
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

    /// Forgets the stored members, and the changes where asked to. An order that was asked for is
    /// a change.
    mutating func turnIntoFault(keepingChanges: Bool) {
        guard keepingChanges else {
            self = Members()
            return
        }
        if isAsStored || arrangement?.isEqual(to: unarranged) == true { arrangement = nil }
        setStored(nil)
        storedKeys = []
    }

    /// Takes the current members as the stored ones.
    ///
    /// - Parameter keys: the order key of each; nil: the relationship has no order.
    mutating func markSaved(keys: [ObjectID: Int64]?) {
        guard stored != nil else {
            self = Members()
            return
        }
        if removed.isEmpty, arrangement == nil, keys == nil { return storeAdditions() }
        let members = current
        self = Members(stored: members)
        if let keys { storedKeys = members.map { keys[$0] ?? 0 } }
    }

    /// Takes the added members as stored ones behind the others, at a cost that does not grow with
    /// these.
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

    /// Takes the current members as ones that no store has.
    mutating func markUnsaved() {
        let members = current
        self = Members(stored: [])
        additions = OrderedIDs(members)
    }

    /// Takes back all changes.
    mutating func rollBack() {
        additions = OrderedIDs()
        removed = []
        arrangement = nil
    }

    /// Replaces IDs by those that the same objects have now.
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

    /// Replaces IDs of stored members behind those that are known to be permanent.
    private mutating func replaceStored(_ replaced: (ObjectID) -> ObjectID) {
        guard let count = stored?.count, permanentCount < count else { return }
        var (isFirst, areAllPermanent) = (true, true)
        for place in permanentCount..<count {
            guard let old = stored?[place], old.isTemporary else {
                if areAllPermanent { permanentCount = place + 1 }
                continue
            }
            let new = replaced(old)
            if new.isTemporary { areAllPermanent = false }
            if areAllPermanent { permanentCount = place + 1 }
            guard new != old else { continue }
            if isFirst, !isKnownUniquelyReferenced(&index) { index = MemberIndex() }
            isFirst = false
            stored?[place] = new
            index?.replace(old, by: new)
        }
    }
}

/// Finds a member among many, with a table that is made when it is first asked.
///
/// Whoever changes the members tells it, where nobody else has it, or makes another one.
private final class MemberIndex {
    /// So few are looked through faster than a table is made.
    private static let fewest = 16

    private var table: IDTable?

    /// - Parameter ids: the members, always those that it was told of.
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

/// The members of a relationship that lost some, gathered when a place is first asked for: who
/// walks over places would gather them for each. Whoever changes the members makes another one.
private final class MemberList {
    private var ids: [ObjectID]?

    func ids(of members: Members) -> [ObjectID] {
        if let ids { return ids }
        let gathered = members.current
        ids = gathered
        return gathered
    }
}

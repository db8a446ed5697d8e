import CairnModel

/// IDs in the order in which they were added, each once. Adding, finding and removing an ID takes
/// amortized constant time.
struct OrderedIDs {
    /// In order, including IDs that were removed since the array was last compacted.
    private var slots: [ObjectID] = []
    /// The index of each ID in ``slots``.
    private var indices = IDTable()

    init() {}

    init(_ ids: [ObjectID]) {
        for id in ids { append(id) }
    }

    var isEmpty: Bool { indices.isEmpty }
    var count: Int { indices.count }

    /// Whether ``slots`` contains no removed IDs, so that ``ids`` need not be computed.
    var hasNoGaps: Bool { slots.count == indices.count }

    /// The IDs in order.
    var ids: [ObjectID] {
        if hasNoGaps { return slots }
        return slots.indices.compactMap { indices[slots[$0]] == $0 ? slots[$0] : nil }
    }

    func contains(_ id: ObjectID) -> Bool { indices.contains(id) }

    /// Adds an ID at the end, if it is not there yet.
    mutating func append(_ id: ObjectID) {
        if indices.insert(id, slots.count) { slots.append(id) }
    }

    /// Replaces an ID by another one, if it is there.
    mutating func replace(_ old: ObjectID, by new: ObjectID) {
        guard let slot = indices[old], indices.remove(old) else { return }
        if indices.insert(new, slot) { slots[slot] = new }
    }

    /// Takes an ID out, and says whether it was there.
    mutating func remove(_ id: ObjectID) -> Bool {
        guard indices.remove(id) else { return false }
        // Done once for many removals, so that each of them costs little.
        if slots.count > 2 * indices.count + 16 { self = OrderedIDs(ids) }
        return true
    }
}

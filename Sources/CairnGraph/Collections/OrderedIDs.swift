import CairnModel

/// IDs in the order in which they came, each once; adding, finding and removing one costs the same
/// however many there are.
struct OrderedIDs {
    /// In order, with those that were removed since the last tidying.
    private var slots: [ObjectID] = []
    /// Where each ID is.
    private var places = IDTable()

    init() {}

    init(_ ids: [ObjectID]) {
        for id in ids { append(id) }
    }

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }

    /// Whether the IDs in order are at hand.
    var hasNoGaps: Bool { slots.count == places.count }

    /// The IDs in order.
    var ids: [ObjectID] {
        if hasNoGaps { return slots }
        return slots.indices.compactMap { places[slots[$0]] == $0 ? slots[$0] : nil }
    }

    func contains(_ id: ObjectID) -> Bool { places.contains(id) }

    /// Adds an ID at the end, if it is not there yet.
    mutating func append(_ id: ObjectID) {
        if places.insert(id, slots.count) { slots.append(id) }
    }

    /// Replaces an ID by another one, if it is there.
    mutating func replace(_ old: ObjectID, by new: ObjectID) {
        guard let slot = places[old], places.remove(old) else { return }
        if places.insert(new, slot) { slots[slot] = new }
    }

    /// Takes an ID out, and says whether it was there.
    mutating func remove(_ id: ObjectID) -> Bool {
        guard places.remove(id) else { return false }
        // Done once for many removals, so that each of them costs little.
        if slots.count > 2 * places.count + 16 { self = OrderedIDs(ids) }
        return true
    }
}

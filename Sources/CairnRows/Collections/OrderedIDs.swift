import CairnModel

/// An ordered set of IDs, in the order in which they were added. Adding, finding and removing an ID
/// takes amortized constant time.
package struct OrderedIDs {
    /// The IDs in order. Still contains IDs that were removed after the array was last compacted.
    private var slots: [ObjectID] = []
    /// The index of each ID in ``slots``.
    private var indices = IDTable()

    package init() {}

    package init(_ ids: [ObjectID]) {
        for id in ids { append(id) }
    }

    package var isEmpty: Bool { indices.isEmpty }
    package var count: Int { indices.count }

    /// Whether ``slots`` contains no removed IDs, so that ``ids`` need not be computed.
    package var hasNoGaps: Bool { slots.count == indices.count }

    /// The IDs in order.
    package var ids: [ObjectID] {
        if hasNoGaps { return slots }
        return slots.indices.compactMap { indices[slots[$0]] == $0 ? slots[$0] : nil }
    }

    package func contains(_ id: ObjectID) -> Bool { indices.contains(id) }

    /// Appends an ID, unless the set already contains it.
    package mutating func append(_ id: ObjectID) {
        if indices.insert(id, slots.count) { slots.append(id) }
    }

    /// Replaces an ID by another one. Has no effect if the set does not contain `old`.
    package mutating func replace(_ old: ObjectID, by new: ObjectID) {
        guard let slot = indices[old], indices.remove(old) else { return }
        if indices.insert(new, slot) { slots[slot] = new }
    }

    /// Removes an ID. Returns whether the set contained it.
    package mutating func remove(_ id: ObjectID) -> Bool {
        guard indices.remove(id) else { return false }
        // The array is compacted once for many removals, to keep each removal cheap.
        if slots.count > 2 * indices.count + 16 { self = OrderedIDs(ids) }
        return true
    }
}

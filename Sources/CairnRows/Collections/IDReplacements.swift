import CairnModel

/// Maps replaced object IDs to the IDs that replaced them: temporary IDs to permanent IDs, and the permanent
/// IDs of objects that moved to another store to their new ones.
package struct IDReplacements: Sendable {
    /// The replacements in the order in which they were added.
    private var pairs: ContiguousArray<(old: ObjectID, new: ObjectID)> = []
    /// The index of each replaced ID in ``pairs``.
    private var pairIndices = IDTable()
    /// Whether permanent IDs were replaced, because objects moved to other stores.
    package private(set) var replacesPermanentIDs = false

    package init() {}

    /// Creates an empty collection with room for `minimumCapacity` replacements.
    package init(minimumCapacity: Int) {
        pairs.reserveCapacity(minimumCapacity)
        pairIndices = IDTable(minimumCapacity: minimumCapacity)
    }

    /// Creates replacements of each ID in `old` by the ID at the same index in `new`. Skips IDs that are
    /// equal.
    package init(_ old: [ObjectID], _ new: [ObjectID]) {
        for (old, new) in zip(old, new) where old != new { self[old] = new }
    }

    /// The ID that replaced `old`, or `nil` if `old` was not replaced. Setting `nil` has no effect.
    package subscript(old: ObjectID) -> ObjectID? {
        get { pairIndices[old].map { pairs[$0].new } }
        set {
            guard let newValue else { return }
            if pairIndices.insert(old, pairs.count) {
                pairs.append((old, newValue))
                if !old.isTemporary { replacesPermanentIDs = true }
            } else if let index = pairIndices[old] {
                pairs[index].new = newValue
            }
        }
    }

    /// Returns the ID that replaced `id`, or `id` itself if it was not replaced. Usually only temporary IDs are
    /// looked up.
    package func current(_ id: ObjectID) -> ObjectID {
        id.isTemporary || replacesPermanentIDs ? self[id] ?? id : id
    }

    /// Adds later replacements. They win over existing replacements of the same IDs, and if one replaces an ID
    /// that itself replaced another, both are replaced by the last.
    package mutating func merge(_ others: IDReplacements) {
        if isEmpty {
            self = others
            return
        }
        if others.replacesPermanentIDs {
            for index in pairs.indices { pairs[index].new = others.current(pairs[index].new) }
        }
        for (old, new) in others { self[old] = new }
    }
}

extension IDReplacements: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { pairs.count }
    package subscript(index: Int) -> (old: ObjectID, new: ObjectID) { pairs[index] }
}

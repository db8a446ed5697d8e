import CairnModel

/// Which ID replaced which: the permanent IDs of new objects, by their temporary ones.
package struct IDReplacements: Sendable {
    /// In the order in which they were added.
    private var pairs: ContiguousArray<(old: ObjectID, new: ObjectID)> = []
    /// The index of each replaced ID in ``pairs``.
    private var pairIndices = IDTable()

    package init() {}

    /// No replacements, with room for as many as that.
    init(minimumCapacity: Int) {
        pairs.reserveCapacity(minimumCapacity)
        pairIndices = IDTable(minimumCapacity: minimumCapacity)
    }

    /// The new IDs of others, index by index. Those that are the same are left out.
    init(_ old: [ObjectID], _ new: [ObjectID]) {
        for (old, new) in zip(old, new) where old != new { self[old] = new }
    }

    /// The ID that replaced this one. `nil` if it was not replaced. Setting `nil` changes nothing.
    package subscript(old: ObjectID) -> ObjectID? {
        get { pairIndices[old].map { pairs[$0].new } }
        set {
            guard let newValue else { return }
            if pairIndices.insert(old, pairs.count) {
                pairs.append((old, newValue))
            } else if let index = pairIndices[old] {
                pairs[index].new = newValue
            }
        }
    }

    /// Adds other replacements. If both have one for the same ID, the added one counts.
    mutating func merge(_ others: IDReplacements) {
        if isEmpty {
            self = others
            return
        }
        for (old, new) in others { self[old] = new }
    }
}

extension IDReplacements: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { pairs.count }
    package subscript(index: Int) -> (old: ObjectID, new: ObjectID) { pairs[index] }
}

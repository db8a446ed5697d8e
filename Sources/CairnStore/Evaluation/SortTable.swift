import CairnModel

/// The first keys of many objects by index, and the order of the objects.
struct SortTable {
    /// An object's first key and its index. Most comparisons need nothing else.
    struct Entry {
        var rank: UInt32
        var index: UInt32
        var prefix: UInt64

        @inline(__always) func hasKey(of other: Entry) -> Bool {
            prefix == other.prefix && rank == other.rank
        }

        /// Whether the key alone says that the object comes first.
        @inline(__always) func hasKey(before other: Entry) -> Bool {
            rank == other.rank ? prefix < other.prefix : rank < other.rank
        }
    }

    /// Compares the objects at two indices. Negative if the first one comes first.
    typealias Decision = (Int, Int) -> Int

    /// By index.
    private var entries: [Entry]
    /// What decides between objects with equal first keys, in this order.
    private var decisions: [Decision] = []

    init(_ entries: [Entry]) { self.entries = entries }

    /// Without keys: the IDs alone decide.
    init(count: Int) {
        entries = (0..<count).map {
            Entry(rank: 0, index: UInt32(truncatingIfNeeded: $0), prefix: 0)
        }
    }

    /// Begins with the first keys of objects. Entries of different keys may be alike.
    init(_ parts: [SortPart]) {
        entries = Self.entries(parts)
        add(parts)
    }

    /// The keys as entries, by index.
    static func entries(_ parts: [SortPart]) -> [Entry] {
        parts.indices.map {
            Entry(
                rank: parts[$0].rank, index: UInt32(truncatingIfNeeded: $0),
                prefix: parts[$0].prefix)
        }
    }

    /// Adds the keys of the next descriptor, by index.
    mutating func add(_ parts: [SortPart]) {
        decisions.append { SortPart.order(parts[$0], parts[$1]) }
    }

    /// Adds what decides next.
    mutating func add(_ decision: @escaping Decision) { decisions.append(decision) }

    /// Returns the indices in order. Objects whose keys are all equal are in the order of their IDs.
    func sortedIndices(id: (Int) -> ObjectID) -> [Int] {
        var sorted = entries
        EntrySort.sort(&sorted)
        sorted.withUnsafeMutableBufferPointer { sorted in
            var start = 0
            while start < sorted.count {
                var end = start + 1
                while end < sorted.count, sorted[end].hasKey(of: sorted[start]) { end += 1 }
                if end - start > 1 {
                    decide(UnsafeMutableBufferPointer(rebasing: sorted[start..<end]), id)
                }
                start = end
            }
        }
        return sorted.map { Int($0.index) }
    }

    /// Sorts entries whose first keys are alike. Most are in order already: rows come by ID.
    private func decide(_ entries: UnsafeMutableBufferPointer<Entry>, _ id: (Int) -> ObjectID) {
        func precedes(_ left: Entry, _ right: Entry) -> Bool {
            let (left, right) = (Int(left.index), Int(right.index))
            for decision in decisions {
                let order = decision(left, right)
                if order != 0 { return order < 0 }
            }
            return ValueOrder.order(id(left), id(right)) < 0
        }
        let isSorted = (1..<entries.count).allSatisfy { !precedes(entries[$0], entries[$0 - 1]) }
        if isSorted { return }
        var entries = entries
        entries.sort(by: precedes)
    }
}

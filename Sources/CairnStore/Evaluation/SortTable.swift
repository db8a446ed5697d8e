import CairnModel

/// The first keys of many objects by place, and their order.
struct SortTable {
    /// An object's first key and its place: all that most comparisons look at.
    struct Entry {
        var rank: UInt32
        var place: UInt32
        var prefix: UInt64

        @inline(__always) func hasKey(of other: Entry) -> Bool {
            prefix == other.prefix && rank == other.rank
        }

        /// Whether the key alone says that the object comes first.
        @inline(__always) func hasKey(before other: Entry) -> Bool {
            rank == other.rank ? prefix < other.prefix : rank < other.rank
        }
    }

    /// Compares the objects at two places: below 0 where the first one comes first.
    typealias Decision = (Int, Int) -> Int

    /// By place.
    private var entries: [Entry]
    /// What decides where first keys are alike, the first one first.
    private var decisions: [Decision] = []

    init(_ entries: [Entry]) { self.entries = entries }

    /// Without keys: the IDs alone decide.
    init(count: Int) {
        entries = (0..<count).map {
            Entry(rank: 0, place: UInt32(truncatingIfNeeded: $0), prefix: 0)
        }
    }

    /// Begins with the first keys of objects, which may be alike and yet differ.
    init(_ parts: [SortPart]) {
        entries = Self.entries(parts)
        add(parts)
    }

    /// The keys as entries, by place.
    static func entries(_ parts: [SortPart]) -> [Entry] {
        parts.indices.map {
            Entry(
                rank: parts[$0].rank, place: UInt32(truncatingIfNeeded: $0),
                prefix: parts[$0].prefix)
        }
    }

    /// Adds the keys of the next descriptor, by place.
    mutating func add(_ parts: [SortPart]) {
        decisions.append { SortPart.order(parts[$0], parts[$1]) }
    }

    /// Adds what decides next.
    mutating func add(_ decision: @escaping Decision) { decisions.append(decision) }

    /// Returns the places in order; what no key tells apart, by ID.
    func sortedPlaces(id: (Int) -> ObjectID) -> [Int] {
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
        return sorted.map { Int($0.place) }
    }

    /// Sorts entries whose first keys are alike. Most are in order already: rows come by ID.
    private func decide(_ entries: UnsafeMutableBufferPointer<Entry>, _ id: (Int) -> ObjectID) {
        func precedes(_ left: Entry, _ right: Entry) -> Bool {
            let (left, right) = (Int(left.place), Int(right.place))
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

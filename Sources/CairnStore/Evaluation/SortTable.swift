import CairnModel

/// The keys of many objects by place, and their order.
struct SortTable {
    /// An object's first key and its place: all that most comparisons look at.
    struct Entry {
        var rank: UInt32
        var place: UInt32
        var prefix: UInt64
    }

    private var entries: [Entry]
    /// Keys that decide where the first ones are alike, one list per descriptor.
    private var columns: [[SortPart]] = []

    init(count: Int) {
        entries = (0..<count).map {
            Entry(rank: 0, place: UInt32(truncatingIfNeeded: $0), prefix: 0)
        }
    }

    /// Begins with first keys that are told apart by rank and prefix alone.
    init(exact entries: [Entry]) { self.entries = entries }

    /// Adds the keys of the next descriptor, by place.
    mutating func add(_ parts: [SortPart], isFirst: Bool) {
        if isFirst {
            for place in entries.indices {
                entries[place].rank = parts[place].rank
                entries[place].prefix = parts[place].prefix
            }
        }
        columns.append(parts)
    }

    /// Returns the places in order; what no key tells apart, by ID.
    func sortedPlaces(id: (Int) -> ObjectID) -> [Int] {
        var sorted = entries
        sorted.sort { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            let (left, right) = (Int(left.place), Int(right.place))
            for parts in columns {
                let order = SortPart.order(parts[left], parts[right])
                if order != 0 { return order < 0 }
            }
            return ValueOrder.order(id(left), id(right)) < 0
        }
        return sorted.map { Int($0.place) }
    }
}

import CairnModel

/// The first sort keys of many objects, from which the objects' order is computed.
struct SortTable {
    /// The first key and the index of an object. Most comparisons need nothing else.
    struct Entry {
        var rank: UInt32
        var index: UInt32
        var prefix: UInt64

        @inline(__always) func hasKey(of other: Entry) -> Bool {
            prefix == other.prefix && rank == other.rank
        }

        /// Returns whether this object comes first according to the first key alone.
        @inline(__always) func hasKey(before other: Entry) -> Bool {
            rank == other.rank ? prefix < other.prefix : rank < other.rank
        }
    }

    /// Compares the objects at two indices. The result is negative if the first one comes first.
    typealias Decision = (Int, Int) -> Int

    /// The entries, in the order of their indices.
    private var entries: [Entry]
    /// The comparisons for objects with equal first keys, in the order in which they are made.
    private var decisions: [Decision] = []

    init(_ entries: [Entry]) { self.entries = entries }

    /// Creates a table without keys, so that only the IDs decide.
    init(count: Int) {
        entries = (0..<count).map {
            Entry(rank: 0, index: UInt32(truncatingIfNeeded: $0), prefix: 0)
        }
    }

    /// Creates a table from the objects' first keys. Different keys may have equal entries, so the
    /// keys are compared, too.
    init(_ parts: [SortPart]) {
        entries = Self.entries(parts)
        add(parts)
    }

    /// Returns the entries for keys, by index.
    static func entries(_ parts: [SortPart]) -> [Entry] {
        parts.indices.map {
            Entry(
                rank: parts[$0].rank, index: UInt32(truncatingIfNeeded: $0),
                prefix: parts[$0].prefix)
        }
    }

    /// Adds the keys of the next sort key, by index.
    mutating func add(_ parts: [SortPart]) {
        decisions.append { SortPart.order(parts[$0], parts[$1]) }
    }

    /// Adds the next comparison.
    mutating func add(_ decision: @escaping Decision) { decisions.append(decision) }

    /// Returns the indices in sorted order. Objects whose keys are all equal are sorted by ID.
    func sortedIndices(id: (Int) -> ObjectID) -> [Int] {
        var sorted = entries
        Self.sort(&sorted)
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

    /// Sorts entries by rank and prefix. Entries with equal rank and prefix stay in the order of their
    /// indices.
    ///
    /// - Precondition: the entries are in the order of their indices.
    private static func sort(_ entries: inout [Entry]) {
        guard entries.count >= RadixSort.fewest else {
            return entries.sort { left, right in
                if left.rank != right.rank { return left.rank < right.rank }
                if left.prefix != right.prefix { return left.prefix < right.prefix }
                return left.index < right.index
            }
        }
        RadixSort.sort(&entries) { $0.prefix }
        RadixSort.sort(&entries) { UInt64($0.rank) }
    }

    /// Sorts entries with equal first keys. Most are sorted already, because rows come in the order
    /// of IDs.
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

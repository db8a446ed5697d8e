import CairnModel

/// Sorts entries by rank and prefix; those that have both alike stay in the order of their places.
enum EntrySort {
    typealias Entry = SortTable.Entry

    /// Fewer are sorted by comparing: counting digits costs as much as that.
    private static let fewestForDigits = 256

    /// - Precondition: the entries come in the order of their places.
    static func sort(_ entries: inout [Entry]) {
        guard entries.count >= fewestForDigits else {
            return entries.sort { left, right in
                if left.rank != right.rank { return left.rank < right.rank }
                if left.prefix != right.prefix { return left.prefix < right.prefix }
                return left.place < right.place
            }
        }
        // Digit by digit, the last one first, each pass keeping the order of the one before
        // (Knuth, The Art of Computer Programming 3, 5.2.5). Digits that are all alike are left out.
        var (prefixes, ranks): (UInt64, UInt32) = (0, 0)
        let first = entries[0]
        for entry in entries {
            prefixes |= entry.prefix ^ first.prefix
            ranks |= entry.rank ^ first.rank
        }
        var other = entries
        for digit in 0..<8 where prefixes >> UInt64(8 * digit) & 0xff != 0 {
            distribute(entries, to: &other) { Int($0.prefix >> UInt64(8 * digit) & 0xff) }
            swap(&entries, &other)
        }
        if ranks != 0 {
            distribute(entries, to: &other) { Int($0.rank & 0xff) }
            swap(&entries, &other)
        }
    }

    @inline(__always) private static func distribute(
        _ entries: [Entry], to other: inout [Entry], _ digit: (Entry) -> Int
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
            starts.update(repeating: 0)
            for entry in entries { starts[digit(entry)] += 1 }
            var sum = 0
            for value in 0..<256 {
                let count = starts[value]
                starts[value] = sum
                sum += count
            }
            other.withUnsafeMutableBufferPointer { other in
                for entry in entries {
                    let value = digit(entry)
                    other[starts[value]] = entry
                    starts[value] += 1
                }
            }
        }
    }
}

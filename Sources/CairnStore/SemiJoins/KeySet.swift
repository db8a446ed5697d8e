/// The keys of some rows of one root entity's hierarchy, made to be asked once for each row of a scan.
package struct KeySet: Sendable {
    /// How many keys there are.
    package let count: Int
    /// One bit for each key from ``first`` on; empty if the keys are too far apart for that.
    private let words: [UInt64]
    private let first: Int64
    /// Ascending; empty if there are bits.
    private let sorted: [Int64]

    /// Takes keys in any order. Repeated keys count once.
    package init(_ keys: some Collection<Int64>) {
        guard let low = keys.min(), let high = keys.max() else {
            (count, words, first, sorted) = (0, [], 0, [])
            return
        }
        guard low >= 0, high - low < Int64(Self.mostBits(forCount: keys.count)) else {
            sorted = Set(keys).sorted()
            (count, words, first) = (sorted.count, [], low)
            return
        }
        var bits = [UInt64](repeating: 0, count: Int(high - low) / 64 + 1)
        for key in keys { bits[Int(key - low) / 64] |= 1 << UInt64((key - low) % 64) }
        count = bits.reduce(0) { $0 + $1.nonzeroBitCount }
        (words, first, sorted) = (bits, low, [])
    }

    /// A bit map may take as many bytes as a few keys a row, and is worth 16 KB in any case.
    private static func mostBits(forCount count: Int) -> Int {
        max(count.multipliedReportingOverflow(by: 256).partialValue, 1 << 17)
    }

    /// Whether the key is one of them.
    @inline(__always) package func contains(_ key: Int64) -> Bool {
        let bit = UInt64(bitPattern: key &- first)
        if bit / 64 < UInt64(words.count) {
            return words[Int(bit / 64)] >> (bit % 64) & 1 == 1
        }
        return sorted.isEmpty ? false : isInSorted(key)
    }

    private func isInSorted(_ key: Int64) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == key
    }

    /// The keys, ascending.
    package var keys: [Int64] {
        if words.isEmpty { return sorted }
        var keys: [Int64] = []
        keys.reserveCapacity(count)
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                keys.append(first + Int64(index * 64 + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
        return keys
    }
}

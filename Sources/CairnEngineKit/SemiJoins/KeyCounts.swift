/// The number of occurrences of each key in a sequence.
///
/// The keys of a table's rows are usually close together. Therefore the counts of low keys are
/// stored in a table that grows with the sequence, and only the counts of other keys in a
/// dictionary.
struct KeyCounts: ~Copyable {
    /// The counts by key, starting at 0. Not an array, which would check for each key whether its
    /// storage is shared.
    private var low = UnsafeMutableBufferPointer<Int32>(start: nil, count: 0)
    private var high: [Int64: Int] = [:]
    private var addedCount = 0

    deinit { low.deallocate() }

    /// Counts one occurrence of the key.
    @inline(__always) mutating func add(_ key: Int64) {
        addedCount += 1
        if UInt64(bitPattern: key) < UInt64(low.count) {
            low[Int(key)] += 1
        } else {
            addOutside(key)
        }
    }

    private mutating func addOutside(_ key: Int64) {
        // The table pays if it has at most 16 entries for each key, and always for the first 64 K
        // entries.
        let limit = max(addedCount * 16, 1 << 16)
        guard key >= 0, key < Int64(limit) else {
            high[key, default: 0] += 1
            return
        }
        grow(to: max(Int(key) + 1, min(low.count * 2, limit), 1024))
        low[Int(key)] += 1
    }

    private mutating func grow(to count: Int) {
        let grown = UnsafeMutableBufferPointer<Int32>.allocate(capacity: count)
        grown.initialize(repeating: 0)
        for index in low.indices { grown[index] = low[index] }
        low.deallocate()
        low = grown
    }

    /// Returns, in ascending order, the keys for whose counts the body returns `true`.
    func keys(where isIncluded: (Int) -> Bool) -> [Int64] {
        var (keys, others): ([Int64], _) = ([], high)
        for index in low.indices {
            var count = Int(low[index])
            // The key may have been counted before the table was large enough.
            if !others.isEmpty { count += others.removeValue(forKey: Int64(index)) ?? 0 }
            if count > 0, isIncluded(count) { keys.append(Int64(index)) }
        }
        if others.isEmpty { return keys }
        return (keys + others.filter { isIncluded($0.value) }.keys).sorted()
    }
}

/// How often each key occurs in a sequence.
///
/// The keys of a table's rows are usually near each other. So the counts of low keys are in a table,
/// which grows with the sequence, and only those of the others in a dictionary.
struct KeyCounts: ~Copyable {
    /// By key, from 0. Not an array, which would ask for each key whether it is shared.
    private var low = UnsafeMutableBufferPointer<Int32>(start: nil, count: 0)
    private var high: [Int64: Int] = [:]
    private var addedCount = 0

    deinit { low.deallocate() }

    /// Counts one more of the key.
    @inline(__always) mutating func add(_ key: Int64) {
        addedCount += 1
        if UInt64(bitPattern: key) < UInt64(low.count) {
            low[Int(key)] += 1
        } else {
            addOutside(key)
        }
    }

    private mutating func addOutside(_ key: Int64) {
        // One key for every 16 numbers pays, and the first 64 K numbers in any case.
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

    /// Returns the keys for whose counts the body returns `true`, ascending.
    func keys(where isIncluded: (Int) -> Bool) -> [Int64] {
        var (keys, others): ([Int64], _) = ([], high)
        for index in low.indices {
            var count = Int(low[index])
            // The key may have been added before the table grew as far as it.
            if !others.isEmpty { count += others.removeValue(forKey: Int64(index)) ?? 0 }
            if count > 0, isIncluded(count) { keys.append(Int64(index)) }
        }
        if others.isEmpty { return keys }
        return (keys + others.filter { isIncluded($0.value) }.keys).sorted()
    }
}

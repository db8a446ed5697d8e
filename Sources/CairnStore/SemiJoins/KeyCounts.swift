/// How often each key occurs in a list.
struct KeyCounts {
    private var counts: [(key: Int64, count: Int)] = []

    /// - Complexity: O(*n*) if the keys are near each other, as those of a table's rows usually are.
    init(_ keys: [Int64]) {
        guard let low = keys.min(), let high = keys.max() else { return }
        if low >= 0, high - low < Int64(keys.count) * 16 + 65_536 {
            countDense(keys, low...high)
            return
        }
        for key in keys.sorted() {
            if counts.last?.key == key {
                counts[counts.count - 1].count += 1
            } else {
                counts.append((key, 1))
            }
        }
    }

    private mutating func countDense(_ keys: [Int64], _ range: ClosedRange<Int64>) {
        var table = [Int32](repeating: 0, count: Int(range.upperBound - range.lowerBound) + 1)
        for key in keys { table[Int(key - range.lowerBound)] += 1 }
        for (index, count) in table.enumerated() where count > 0 {
            counts.append((range.lowerBound + Int64(index), Int(count)))
        }
    }

    /// Returns the keys for whose counts the body returns `true`, ascending.
    func keys(where isIncluded: (Int) -> Bool) -> [Int64] {
        counts.compactMap { isIncluded($0.count) ? $0.key : nil }
    }
}

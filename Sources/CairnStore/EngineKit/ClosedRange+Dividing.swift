extension ClosedRange<Int64> {
    /// Divides keys into ranges that have equally many keys, but for the last one, which may have fewer.
    ///
    /// - Returns: as many ranges as asked for at most, in the order of their keys.
    package func divided(into count: Int) -> [ClosedRange<Int64>] {
        guard count > 1 else { return [self] }
        // The distance of two keys may not fit into a signed number.
        let keysEach = UInt64(bitPattern: upperBound &- lowerBound) / UInt64(count) + 1
        var ranges: [ClosedRange<Int64>] = []
        var lower = lowerBound
        while UInt64(bitPattern: upperBound &- lower) >= keysEach {
            let next = lower &+ Int64(bitPattern: keysEach)
            ranges.append(lower...(next - 1))
            lower = next
        }
        return ranges + [lower...upperBound]
    }
}

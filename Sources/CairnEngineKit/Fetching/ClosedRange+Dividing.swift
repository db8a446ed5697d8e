extension ClosedRange<Int64> {
    /// Divides keys into ranges of equal length. Only the last range may be shorter.
    ///
    /// - Returns: at most `count` ranges, in ascending order.
    package func divided(into count: Int) -> [ClosedRange<Int64>] {
        guard count > 1 else { return [self] }
        // The difference of two keys may not fit into a signed integer.
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

/// Sorts many elements by a number first: a pass over them for each byte in which the numbers differ, where
/// comparing them takes as many passes as their count has bits.
enum RadixOrder {
    /// So few are sorted as fast by comparing them.
    private static let fewest = 256

    /// Returns the elements in the order that `precedes` says.
    ///
    /// - Parameter number: grows with the order; elements of the same number may have any.
    @inline(__always) static func sorted<Element>(
        _ elements: [Element], by number: (Element) -> UInt64,
        _ precedes: (Element, Element) -> Bool
    ) -> [Element] {
        guard elements.count >= fewest else { return elements.sorted(by: precedes) }
        var elements = elements
        let first = number(elements[0])
        let differing = elements.reduce(0) { $0 | (number($1) ^ first) }
        for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xff != 0 {
            elements = pass(elements) { Int(truncatingIfNeeded: number($0) >> shift & 0xff) }
        }
        // Mostly in order now, which costs one comparison for each.
        elements.sort(by: precedes)
        return elements
    }

    /// Orders elements by a byte; those of the same byte stay in the order in which they are.
    @inline(__always) private static func pass<Element>(
        _ elements: [Element], _ byte: (Element) -> Int
    ) -> [Element] {
        var ends = [Int](repeating: 0, count: 256)
        for element in elements { ends[byte(element)] += 1 }
        for value in 1..<256 { ends[value] += ends[value - 1] }
        return [Element](unsafeUninitializedCapacity: elements.count) { buffer, count in
            for element in elements.reversed() {
                ends[byte(element)] -= 1
                buffer.initializeElement(at: ends[byte(element)], to: element)
            }
            count = elements.count
        }
    }
}

/// Sorts many elements by numbers, with one pass over the elements for each byte in which the
/// numbers differ.
///
/// Sorting by comparisons takes as many passes as the number of elements has bits.
///
/// The type is public because the compiler otherwise does not specialise its functions for the
/// elements of other modules. Without that, a save into LMDB took 8 % longer.
public enum RadixSort {
    /// Fewer elements than this are sorted by comparisons, because counting bytes would cost as
    /// much.
    public static let fewest = 256

    /// Sorts elements by a number. Elements with equal numbers stay in their order.
    ///
    /// The least significant byte is sorted first, and each pass preserves the order of the
    /// previous one (Knuth, The Art of Computer Programming 3, 5.2.5). Bytes that are equal in all
    /// numbers are skipped.
    @inlinable @inline(__always)
    public static func sort<Element>(
        _ elements: inout [Element], by number: (Element) -> UInt64
    ) {
        guard elements.count > 1 else { return }
        let first = number(elements[0])
        var differing: UInt64 = 0
        for element in elements { differing |= number(element) ^ first }
        if differing == 0 { return }
        var other = elements
        for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xff != 0 {
            distribute(elements, to: &other) { Int(truncatingIfNeeded: number($0) >> shift & 0xff) }
            swap(&elements, &other)
        }
    }

    /// Returns the elements in the order that `precedes` defines.
    ///
    /// - Parameters:
    ///   - elements: the elements in any order.
    ///   - number: returns a number that never decreases in this order. Elements with equal numbers
    ///     may have any order.
    ///   - precedes: returns whether the first element comes before the second. It decides between
    ///     elements with equal numbers.
    @inlinable @inline(__always)
    public static func sorted<Element>(
        _ elements: [Element], by number: (Element) -> UInt64,
        _ precedes: (Element, Element) -> Bool
    ) -> [Element] {
        guard elements.count >= fewest else { return elements.sorted(by: precedes) }
        var elements = elements
        sort(&elements, by: number)
        // The elements are nearly sorted now, so this takes about one comparison for each element.
        elements.sort(by: precedes)
        return elements
    }

    /// Copies elements to another array of the same length, sorted by one byte.
    @inlinable @inline(__always)
    static func distribute<Element>(
        _ elements: [Element], to other: inout [Element], _ byte: (Element) -> Int
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
            starts.update(repeating: 0)
            for element in elements { starts[byte(element)] += 1 }
            var sum = 0
            for value in 0..<256 {
                let count = starts[value]
                starts[value] = sum
                sum += count
            }
            other.withUnsafeMutableBufferPointer { other in
                for element in elements {
                    let value = byte(element)
                    other[starts[value]] = element
                    starts[value] += 1
                }
            }
        }
    }
}

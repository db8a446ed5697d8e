import CairnTestSupport
import Testing

@testable import CairnEngineKit

@Suite struct `Radix sort` {
    private struct Element: Equatable {
        let number: UInt64
        let index: Int
    }

    private func elements(_ numbers: [UInt64]) -> [Element] {
        numbers.enumerated().map { Element(number: $1, index: $0) }
    }

    /// Includes counts below and above the limit for sorting by comparison, and numbers that differ in one
    /// byte, some bytes, or all bytes.
    @Test(arguments: [0, 1, 2, 255, 256, 3000], [0xff, 0xff00_00ff, UInt64.max])
    func `keeps the order of elements with the same number`(_ count: Int, _ mask: UInt64) {
        var random = SeededRandom(seed: SeededRandom.seed(of: "radix sort of \(count)"))
        let elements = elements(
            (0..<count).map { _ in
                UInt64.random(in: 0...7, using: &random) &* 0x9e37_79b9_7f4a_7c15 & mask
            })
        var sorted = elements

        RadixSort.sort(&sorted) { $0.number }

        let expected = elements.sorted { ($0.number, $0.index) < ($1.number, $1.index) }
        #expect(sorted == expected)
    }

    @Test(arguments: [3, 256, 3000])
    func `orders elements with the same number by comparison`(_ count: Int) {
        var random = SeededRandom(seed: SeededRandom.seed(of: "radix order of \(count)"))
        let elements = elements((0..<count).map { _ in UInt64.random(in: 0...500, using: &random) })

        let sorted = RadixSort.sorted(elements, by: \.number) {
            ($0.number, -$0.index) < ($1.number, -$1.index)
        }

        let expected = elements.sorted { ($0.number, -$0.index) < ($1.number, -$1.index) }
        #expect(sorted == expected)
    }
}

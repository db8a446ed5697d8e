import CairnTestSupport
import Testing

@testable import CairnEngineKit

@Suite struct `Key set` {
    @Test(
        arguments: [
            [], [1], [3, 1, 2, 3], [5, 1_000_000_000, .max], [0, .max], [-7, 3], [64, 128, 127],
            Array(stride(from: 1, to: 10_000, by: 7)),
        ] as [[Int64]])
    func `contains the keys that it was created from, each once and ascending`(_ keys: [Int64]) {
        let expected = Set(keys)
        let neighbours = keys.flatMap { [$0 &- 1, $0 &+ 1, $0 &+ 64, 0 &- $0] }

        let set = KeySet(keys)

        #expect(set.keys == expected.sorted())
        #expect(set.count == expected.count)
        #expect(keys.allSatisfy(set.contains))
        #expect(neighbours.allSatisfy { set.contains($0) == expected.contains($0) })
    }

    @Test(
        arguments: [
            [1, 2, 1, 9, 1], [1, .max, 1, .max, 5], [], [-3, 0, -3, .min, 0],
            // 70,000 is too high for the array until there are more keys. Afterwards it is counted in both
            // tables.
            [70_000, 3] + Array(repeating: 60_000, count: 5_000) + [70_000, 70_000],
            Array(0..<5_000) + Array(2_000..<3_000),
        ] as [[Int64]])
    func `can be built from counts of each key`(_ keys: [Int64]) {
        var counts = KeyCounts()
        let expectedCounts = keys.reduce(into: [:]) { $0[$1, default: 0] += 1 }

        for key in keys { counts.add(key) }

        for wanted in 1...3 {
            let expected = expectedCounts.filter { $0.value == wanted }.keys.sorted()
            #expect(counts.keys { $0 == wanted } == expected)
        }
    }
}

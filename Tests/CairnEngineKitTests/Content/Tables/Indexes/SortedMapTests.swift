import CairnEngineKit
import CairnTestSupport
import Testing

@Suite struct `Sorted map` {
    private func contents(_ map: SortedMap<Int64, Int>) -> [Int64: Int] {
        var contents: [Int64: Int] = [:]
        var position = map.start
        while let (key, value) = map.next(&position) { contents[key] = value }
        return contents
    }

    @Test(arguments: [1, 7, 1000])
    func `agrees with a dictionary through random changes`(keySpace: Int64) {
        let seed = SeededRandom.seed(of: "a sorted map of \(keySpace) keys")
        var random = SeededRandom(seed: seed)
        var map = SortedMap<Int64, Int>()
        var expected: [Int64: Int] = [:]

        for step in 0..<20_000 {
            let key = Int64.random(in: -keySpace...keySpace, using: &random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                #expect(map.removeValue(for: key) == expected.removeValue(forKey: key))
            } else {
                #expect(map.set(step, for: key) == expected.updateValue(step, forKey: key))
            }
        }

        #expect(map.count == expected.count)
        #expect(contents(map) == expected)
        for key in -keySpace...keySpace { #expect(map[key] == expected[key]) }
    }

    /// 40,000 entries fill more than two groups of chunks.
    @Test func `agrees with a dictionary when it is large`() {
        let seed = SeededRandom.seed(of: "a large sorted map")
        var random = SeededRandom(seed: seed)
        let keys = Array(0..<Int64(40_000)).shuffled(using: &random)
        var map = SortedMap<Int64, Int>(count: 20_000, key: { Int64($0) * 3 }, value: { $0 * 3 })
        var expected = contents(map)
        for key in keys {
            #expect(map.set(Int(key), for: key) == expected[key], "CAIRN_SEED=\(seed)")
        }
        for key in keys { expected[key] = Int(key) }
        let full = map

        #expect(contents(map) == expected)
        #expect(map.count == expected.count)
        #expect(map.last?.key == expected.keys.max())
        #expect(map.count(from: 100, to: 39_000) == 38_900)
        let asked: ArraySlice<Int64> = [-1, 5, 16_384, 39_999, 40_000, 70_000]
        #expect(map.values(ofAscending: asked) == [5, 16_384, 39_999])

        for key in keys where key % 50 != 0 {
            map.removeValue(for: key)
            expected[key] = nil
        }
        #expect(contents(map) == expected)
        #expect(map.count(from: 0, to: 40_000) == 800)
        #expect(full.count(from: 0, to: 40_000) == 40_000)
        for key in expected.keys { #expect(map.removeValue(for: key) != nil) }
        #expect(map.isEmpty)
        #expect(map.set(1, for: 1) == nil)
        #expect(contents(map) == [1: 1])
        #expect(full[39_999] == 39_999)
    }

    @Test(arguments: [1, 3, 40, 1000] as [Int64])
    func `finds the values of ascending keys, and leaves out missing keys`(_ distance: Int64) {
        let seed = SeededRandom.seed(of: "ascending keys \(distance) apart")
        var random = SeededRandom(seed: seed)
        var map = SortedMap<Int64, Int>()
        for key in 0..<5000 where Int.random(in: 0..<4, using: &random) > 0 {
            map.set(key, for: Int64(key) * 2)
        }

        for _ in 0..<20 {
            var keys: [Int64] = []
            var key = Int64.random(in: -50...9_000, using: &random)
            while key < 10_100 {
                keys.append(key)
                key += Int64.random(in: 1...distance, using: &random)
            }
            let expected = keys.compactMap { map[$0] }
            #expect(map.values(ofAscending: keys[...]) == expected, "CAIRN_SEED=\(seed)")
        }
    }

    @Test func `iterates in the order of keys from any position`() {
        var map = SortedMap<Int64, Int>()
        for key in (0..<5000).reversed() { map.set(key, for: Int64(key) * 2) }

        for start in [-1, 0, 1, 2, 511, 512, 513, 9997, 9998, 9999] as [Int64] {
            var position = map.position(notBelow: start)
            var keys: [Int64] = []
            while let (key, _) = map.next(&position) { keys.append(key) }
            #expect(keys == (0..<5000).map { Int64($0) * 2 }.filter { $0 >= start })
        }
    }

    @Test func `counts between any two keys`() {
        var map = SortedMap<Int64, Int>()
        #expect(map.count(from: 3, to: 7) == 0)
        #expect(map.count(from: 3, to: nil) == 0)
        for key in (0..<5000).reversed() where key % 7 != 0 { map.set(key, for: Int64(key)) }

        let bounds: [Int64] = [.min, -1, 0, 1, 6, 7, 255, 256, 300, 2500, 4998, 4999, 5000, .max]
        for first in bounds {
            let fromFirst = (0..<5000).filter { $0 % 7 != 0 && $0 >= first }
            #expect(map.count(from: first, to: nil) == fromFirst.count)
            for end in bounds {
                let count = fromFirst.count { $0 < end }
                #expect(map.count(from: first, to: end) == count, "\(first) to \(end)")
            }
        }
    }

    @Test func `does not change its copies`() {
        var map = SortedMap<Int64, Int>()
        for key in 0..<2000 { map.set(key, for: Int64(key)) }
        let copy = map

        for key in 0..<2000 where key % 3 != 0 { map.removeValue(for: Int64(key)) }
        map.set(-1, for: 0)

        #expect(
            contents(copy) == Dictionary(uniqueKeysWithValues: (0..<2000).map { (Int64($0), $0) }))
        #expect(map.count == 667)
    }

    @Test func `is empty after everything was removed`() {
        var map = SortedMap<Int64, Int>()
        for key in 0..<1000 { map.set(key, for: Int64(key)) }

        for key in 0..<1000 { map.removeValue(for: Int64(key)) }

        #expect(map.isEmpty)
        #expect(map.last == nil)
        #expect(contents(map).isEmpty)
    }
}

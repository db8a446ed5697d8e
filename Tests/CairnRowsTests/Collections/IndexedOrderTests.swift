import CairnTestSupport
import Testing

@testable import CairnRows
@testable import CairnStack

@Suite struct `An indexed order` {
    @Test(arguments: [0, 1, 2, 511, 512, 513, 2_000])
    func `behaves as an array does`(_ count: Int) {
        let seed: UInt64 = 4
        var random = SeededRandom(seed: seed)
        var array = Array(0..<count)
        var order = IndexedOrder(array)
        for number in 0..<2_000 {
            let element = Int.random(in: 0..<(count + 600), using: &random)
            let target = Int.random(in: 0...max(array.count - 1, 0), using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                if !array.contains(element) { array.append(element) }
                order.append(element)
            case 1:
                array.removeAll { $0 == element }
                order.remove(element)
            default:
                if let index = array.firstIndex(of: element) {
                    array.insert(array.remove(at: index), at: target)
                }
                order.move(element, to: target)
            }
            guard number.isMultiple(of: 100) || array.count < 4 else { continue }
            #expect(order.elements == array, "seed \(seed), step \(number)")
            #expect(order.isEqual(to: array))
            #expect(order.count == array.count)
            #expect(order.index(of: element) == array.firstIndex(of: element))
            if !array.isEmpty { #expect(order[target] == array[target]) }
        }
    }

    @Test func `differs from an order that is longer, shorter, or has another element`() {
        let order = IndexedOrder(Array(0..<1_000))

        #expect(!order.isEqual(to: Array(0..<1_001)))
        #expect(!order.isEqual(to: Array(0..<999)))
        #expect(!order.isEqual(to: Array(0..<999) + [0]))
    }

    @Test func `is unchanged when a copy changes`() {
        let order = IndexedOrder([1, 2, 3])
        var copy = order

        copy.move(3, to: 0)

        #expect(order.elements == [1, 2, 3])
        #expect(copy.elements == [3, 1, 2])
    }

    /// Counts how often elements are examined.
    private final class Tally {
        var count = 0
    }

    private struct Counted: Hashable {
        let number: Int
        let tally: Tally

        static func == (left: Counted, right: Counted) -> Bool {
            left.tally.count += 1
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            tally.count += 1
            hasher.combine(number)
        }
    }

    @Test func `of 100,000 elements looks at a few hundred to find, move or replace one`() {
        let (count, moves) = (100_000, 500)
        let tally = Tally()
        let elements = (0..<count).map { Counted(number: $0, tally: tally) }
        var order = IndexedOrder(elements)
        var random = SeededRandom(seed: 5)
        tally.count = 0

        for _ in 0..<moves {
            let element = elements[Int.random(in: 0..<count, using: &random)]
            order.move(element, to: Int.random(in: 0..<count, using: &random))
            _ = order.index(of: element)
            order.remove(element)
            order.append(element)
        }

        // An array would examine 50,000 elements for each of the four operations.
        #expect(tally.count < moves * 4 * 600)
    }
}

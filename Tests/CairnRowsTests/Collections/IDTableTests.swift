import CairnModel
import CairnTestSupport
import Testing

@testable import CairnRows
@testable import CairnStack

@Suite struct `Table of IDs` {
    private func id(_ key: Int64, root: UInt16 = 1, store: UInt32 = 3) -> ObjectID {
        ObjectID(
            store: StoreNumber(rawValue: store), rootEntity: EntityNumber(root),
            entity: EntityNumber(root), key: key)
    }

    @Test func `equals a dictionary after many insertions and removals`() {
        var generator = SeededRandom(seed: 7)
        var table = IDTable()
        var expected: [ObjectID: Int] = [:]

        for step in 0..<20_000 {
            let key = Int64(generator.next() % 600) - 300
            let id = id(key, root: UInt16(generator.next() % 2) + 1)
            if generator.next() % 2 == 0 {
                #expect(table.remove(id) == (expected.removeValue(forKey: id) != nil))
            } else {
                #expect(table.insert(id, step) == (expected[id] == nil))
                if expected[id] == nil { expected[id] = step }
            }
        }

        #expect(table.count == expected.count)
        for key in Int64(-300)..<300 {
            for root in UInt16(1)...2 {
                #expect(table[id(key, root: root)] == expected[id(key, root: root)])
            }
        }
    }

    @Test func `distinguishes IDs of different stores and entities`() {
        let table = IDTable([id(1), id(2, root: 2), id(2, store: 4)])

        #expect(table.contains(id(1)))
        #expect(!table.contains(id(2)))
        #expect(!table.contains(id(1, root: 2)))
        #expect(!table.contains(id(1, store: 4)))
    }

    @Test func `keeps the second of two replacements of one ID, in the position of the first`() {
        var replacements = IDReplacements([id(1), id(2), id(3)], [id(11), id(2), id(13)])
        replacements.merge(IDReplacements([id(1), id(4)], [id(21), id(14)]))

        #expect(replacements.map(\.old) == [id(1), id(3), id(4)])
        #expect(replacements.map(\.new) == [id(21), id(13), id(14)])
        #expect(replacements[id(2)] == nil)
    }
}

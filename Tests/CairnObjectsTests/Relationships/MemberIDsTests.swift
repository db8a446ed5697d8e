import CairnModel
import CairnTestSupport
import Testing

@testable import CairnObjects
@testable import CairnRows
@testable import CairnStack

/// Members have an index table that copies share. No sequence of changes, saves and copies may make it return
/// wrong answers.
@Suite struct `Members of a relationship` {
    /// A reference implementation that uses only arrays.
    private struct Naive {
        var stored: [ObjectID] = []
        var added: [ObjectID] = []
        var removed: Set<ObjectID> = []

        var current: [ObjectID] { stored.filter { !removed.contains($0) } + added }

        mutating func replace(_ old: ObjectID, _ new: ObjectID) {
            stored = stored.map { $0 == old ? new : $0 }
            added = added.map { $0 == old ? new : $0 }
            if removed.remove(old) != nil { removed.insert(new) }
        }
    }

    private static func id(_ key: Int64) -> ObjectID {
        ObjectID(
            store: StoreNumber(rawValue: key < 0 ? 0x8000_0001 : 1), rootEntity: EntityNumber(1),
            entity: EntityNumber(1), key: key)
    }

    @Test func `stay where they were if one is removed, put back there, and all are read again`() {
        let ids = (1...3).map { Self.id($0) }
        var members = MemberIDs()
        members.load(ids, keys: [1, 2, 3])
        members.apply(.remove(ids[1]))
        members.apply(.add(ids[1], keepsOrder: true))
        members.apply(.move(ids[1], to: 1))

        members.turnIntoFault(keepingChanges: true)
        members.load(ids, keys: [1, 2, 3])

        #expect(members.current == ids)
        #expect(!members.hasChanges)
    }

    @Test(arguments: 0..<UInt64(8 * TestSetting.scale))
    func `behave as an array does`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var pairs = [(MemberIDs.none, Naive())]
        var nextKey: Int64 = 1
        for _ in 0..<400 {
            let pairIndex = Int.random(in: pairs.indices, using: &random)
            Self.change(&pairs[pairIndex], &nextKey, &random)
            if Int.random(in: 0..<12, using: &random) == 0 {
                pairs.append(pairs[pairIndex])
                if pairs.count > 4 { pairs.removeFirst() }
            }
            for (members, naive) in pairs {
                let expected = naive.current
                #expect(members.current == expected, "seed \(seed)")
                let byIndex = (0...expected.count).map(members.member)
                #expect(byIndex == expected + [nil], "seed \(seed)")
                let keys = (-nextKey...nextKey).filter { $0 % 7 == Int64(seed) % 7 && $0 != 0 }
                for id in keys.map(Self.id) + naive.stored.suffix(3) + naive.added.suffix(3) {
                    #expect(members.contains(id) == naive.current.contains(id), "seed \(seed)")
                }
            }
        }
    }

    @Test func `with indexed positions can be loaded again in another order`() {
        var members = MemberIDs()
        members.load([1, 2, 3].map(Self.id), keys: [10, 20, 30])
        members.remove(Self.id(1))
        members.indexPositions()
        members.turnIntoFault(keepingChanges: true)

        members.load([1, 3, 2].map(Self.id), keys: [10, 20, 30])

        #expect(members.current == [3, 2].map(Self.id))
    }

    private static func change(
        _ pair: inout (MemberIDs, Naive), _ nextKey: inout Int64, _ random: inout SeededRandom
    ) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            let new = id(Bool.random(using: &random) ? nextKey : -nextKey)
            nextKey += 1
            pair.0.add(new, keepsOrder: false)
            pair.1.added.append(new)
        case 5:
            guard let gone = pair.1.current.randomElement(using: &random) else { return }
            pair.0.remove(gone)
            if let index = pair.1.added.firstIndex(of: gone) {
                pair.1.added.remove(at: index)
            } else {
                pair.1.removed.insert(gone)
            }
        case 6...7:
            pair.0.markSaved(keys: nil)
            pair.1 = Naive(stored: pair.1.current)
        case 8: pair.0.indexPositions()
        default:
            let temporary = pair.1.current.filter(\.isTemporary)
            let replaced = temporary.filter { _ in Bool.random(using: &random) }
            pair.0.replaceIDs(IDReplacements(replaced, replaced.map { id(-$0.key) }))
            for old in replaced { pair.1.replace(old, id(-old.key)) }
        }
    }
}

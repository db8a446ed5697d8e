import CairnModel
import CairnTestSupport
import StackSupport
import Testing

@testable import CairnObjects

@Suite struct `An identity map` {
    /// Objects are added and removed in random order. Their keys are near and far, stored and temporary.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `keeps its invariants, and finds what a dictionary finds`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let context = try MusicStack().context()
        let entity = try #require(context.managedObjectModel.entity(named: "Tag"))
        let map = IdentityMap()
        var expected: [ObjectID: ManagedObject] = [:]

        for _ in 0..<600 {
            let key = Int64(random.next() % 300) * (random.next() % 4 == 0 ? 1 << 20 : 1) + 1
            let isTemporary = random.next() % 3 == 0
            let id = ObjectID(
                store: StoreNumber(rawValue: isTemporary ? 2 : 1),
                rootEntity: entity.rootEntity.number,
                entity: entity.number, key: isTemporary ? -key : key)
            if expected[id] != nil {
                map.remove(id)
                expected[id] = nil
            } else {
                let object = try context.insertNewObject(forEntityName: "Tag")
                object.objectID = id
                map.insert(object, for: id)
                expected[id] = object
            }
            #expect(map[id] === expected[id])
            #expect(map.count == expected.count)
        }

        try map.checkInvariants()
        #expect(expected.allSatisfy { map[$0.key] === $0.value })
        // Empties the map before the objects are released, because the map does not retain them.
        map.removeAll()
        try map.checkInvariants()
    }
}

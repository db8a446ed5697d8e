import Cairn
import GraphSupport
import Testing

/// Saves that fail after a merge policy has resolved their conflicts.
@Suite struct `A resolution of a save that fails` {
    @Test(arguments: everyEngine)
    func `restores an object that left the context because others deleted it`(
        _ type: StoreType
    ) throws {
        for policy in [MergePolicyType.mergeByPropertyStoreTrump, .rollback] {
            let scene = try OwnerScene(type, policy)
            try scene.fill()

            try scene.c.performAndWait { c in
                let x = try c.only("Owner", where: "name == 'x'")
                try x.setValue("changed", forKey: "name")
                let part = try c.insert("Part", ["name": "q", "owner": x])
                try scene.d.performAndWait { d in
                    try d.delete(try d.only("Owner", where: "name == 'x'"))
                    try d.save()
                }
                c.processPendingChanges()
                #expect(throws: GraphError.self) { try c.save() }

                #expect(c.updatedObjects == [x], "\(policy)")
                #expect(c.insertedObjects == [part])
                #expect(try part.value(forKey: "owner") as? ManagedObject === x)
                #expect(try x.value(forKey: "name") as? String == "changed")
            }
        }
    }
}

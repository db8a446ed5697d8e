import Cairn
import CairnTestSupport
import GraphSupport
import Testing

/// Two contexts of one coordinator that change both ends of relationships.
@Suite struct `References between contexts` {
    /// Reads the IDs of the members of the owner “o”.
    private static func readMembers(_ context: ManagedObjectContext) throws -> ManagedObject {
        let owner = try context.only("Owner", where: "name == 'o'")
        for key in ["parts", "notes", "guards", "loose"] {
            _ = try owner.objectIDs(forRelationshipNamed: key)
        }
        return owner
    }

    @Test(arguments: everyEngine)
    func `a relationship to an object that is gone changes neither end`(_ type: StoreType) throws {
        let scene = try OwnerScene(type)
        try scene.fill()
        try scene.c.performAndWait { c in
            let seat = try c.insert("Seat", ["name": "s"])
            let part = try c.only("Part")
            let x = try c.only("Owner", where: "name == 'x'").objectID
            try c.save()
            try c.refreshAllObjects()
            try scene.d.performAndWait { d in
                try d.delete(try d.only("Owner", where: "name == 'x'"))
                try d.save()
            }

            let gone = try c.object(with: x)
            #expect(throws: GraphError.self) { try seat.setValue(gone, forKey: "holder") }
            #expect(throws: GraphError.self) { try gone.setValue(seat, forKey: "seat") }

            #expect(try seat.value(forKey: "holder") == nil)
            #expect(!c.hasChanges)
            try part.setValue("q", forKey: "name")
            try c.save()
        }

        #expect(try scene.stored() == ["Owner o -", "Part q o", "Seat s -"])
    }

    // MARK: A member that others moved or inserted

    @Test(arguments: everyEngine)
    func `a cascade leaves a member that others moved to another owner`(_ type: StoreType) throws {
        let scene = try OwnerScene(type)
        try scene.fill()

        try scene.c.performAndWait { c in
            let owner = try Self.readMembers(c)
            try scene.d.performAndWait { d in
                let part = try d.only("Part")
                try part.setValue(try d.only("Owner", where: "name == 'x'"), forKey: "owner")
                try d.save()
            }
            try c.delete(owner)
            try c.save()
        }

        #expect(try scene.stored() == ["Owner x -", "Part p x"])
    }

    @Test(arguments: everyEngine)
    func `a context that learns of a move takes back what only a cascade deleted`(
        _ type: StoreType
    ) throws {
        let ways: [@Sendable (ManagedObjectContext, ManagedObject) throws -> Void] = [
            { c, _ in try c.refreshAllObjects() },
            { c, part in try c.refresh(part, mergeChanges: true) },
            { c, part in
                var changes = ObjectIDChanges()
                changes.updated = [part.objectID]
                try c.mergeChanges(changes)
            },
        ]
        for learn in ways {
            let scene = try OwnerScene(type)
            try scene.fill()

            try scene.c.performAndWait { c in
                let owner = try Self.readMembers(c)
                let part = try c.only("Part")
                try c.delete(owner)
                c.processPendingChanges()
                #expect(part.isDeleted)
                try scene.d.performAndWait { d in
                    let x = try d.only("Owner", where: "name == 'x'")
                    try d.only("Part").setValue(x, forKey: "owner")
                    try d.save()
                }
                try learn(c, part)
                #expect(!part.isDeleted)
                try c.save()
            }

            #expect(try scene.stored() == ["Owner x -", "Part p x"])
        }
    }

    @Test(arguments: everyEngine)
    func `refreshing keeps what the cascade of a new object deleted`(_ type: StoreType) throws {
        let scene = try OwnerScene(type)
        try scene.fill()

        try scene.c.performAndWait { c in
            let new = try c.insert("Owner", ["name": "n"])
            let part = try c.only("Part")
            try part.setValue(new, forKey: "owner")
            try c.delete(new)
            c.processPendingChanges()
            try c.refreshAllObjects()
            #expect(part.isDeleted)
            try c.save()
        }

        #expect(try scene.stored() == ["Owner o -", "Owner x -"])
    }

    @Test(arguments: everyEngine)
    func `a cascade in a child leaves a member that the parent moved`(_ type: StoreType) throws {
        let scene = try OwnerScene(type)
        try scene.fill()

        let parent = scene.c
        try ContextHandle(parent: parent).performAndWait { child in
            let owner = try child.only("Owner", where: "name == 'o'")
            _ = try owner.objectIDs(forRelationshipNamed: "parts")
            try parent.performAndWait { parent in
                let x = try parent.only("Owner", where: "name == 'x'")
                try parent.only("Part").setValue(x, forKey: "owner")
            }
            try child.delete(owner)
            try child.save()
        }
        try parent.performAndWait { try $0.save() }

        #expect(try scene.stored() == ["Owner x -", "Part p x"])
    }

    @Test(arguments: everyEngine)
    func `deleting an owner that got a member elsewhere is a conflict that names both`(
        _ type: StoreType
    ) throws {
        for (entity, relationship) in [("Part", "parts"), ("Note", "notes")] {
            let scene = try OwnerScene(type)
            try scene.fill()

            let conflicts = try scene.c.performAndWait { c -> [ReferenceConflict] in
                let owner = try Self.readMembers(c)
                try scene.insertElsewhere(entity)
                var conflicts: [ReferenceConflict] = []
                try c.delete(owner)
                do { try c.save() } catch GraphError.referenceConflicts(let found) {
                    conflicts = found
                }
                #expect(owner.isDeleted)
                return conflicts
            }

            #expect(conflicts.map(\.relationship) == [relationship])
            #expect(conflicts.map(\.reason) == [.deleted])
            #expect(conflicts.first?.members.count == 1)
            let stored = try scene.stored()
            #expect(stored.contains("\(entity) new o"))
            #expect(stored.contains("Part p o"))
        }
    }

    @Test(arguments: everyEngine)
    func `a deny rule denies for a member that others inserted, under every policy`(
        _ type: StoreType
    ) throws {
        for policy in [
            MergePolicyType.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump,
            .overwrite,
            .rollback,
        ] {
            let scene = try OwnerScene(type, policy)
            try scene.fill()

            try scene.c.performAndWait { c in
                let owner = try Self.readMembers(c)
                try scene.insertElsewhere("Guard")
                try c.delete(owner)
                var codes: [Int] = []
                do { try c.save() } catch GraphError.validation(let failures) {
                    codes = failures.map(\.code)
                }
                #expect(codes == [1600])
            }

            #expect(try scene.stored() == ["Guard new o", "Owner o -", "Owner x -", "Part p o"])
        }
    }

    @Test(arguments: everyEngine)
    func `the delete rules run again for the found members if the object trumps`(
        _ type: StoreType
    ) throws {
        for policy in [MergePolicyType.mergeByPropertyObjectTrump, .overwrite] {
            for (entity, expected) in [("Part", []), ("Note", ["Note new -"])] {
                let scene = try OwnerScene(type, policy)
                try scene.fill()

                try scene.c.performAndWait { c in
                    let owner = try Self.readMembers(c)
                    try scene.insertElsewhere(entity)
                    try c.delete(owner)
                    try c.save()
                    #expect(!c.hasChanges)
                }

                #expect(try scene.stored() == expected + ["Owner x -"])
            }
        }
    }

    @Test(arguments: everyEngine)
    func `a deletion is taken back with what only its cascade deleted if the store trumps`(
        _ type: StoreType
    ) throws {
        for policy in [MergePolicyType.mergeByPropertyStoreTrump, .rollback] {
            let scene = try OwnerScene(type, policy)
            try scene.fill()

            try scene.c.performAndWait { c in
                let owner = try Self.readMembers(c)
                try scene.insertElsewhere("Note")
                try c.delete(owner)
                try c.save()
                #expect(!owner.isDeleted)
                #expect(!c.hasChanges)
            }

            #expect(
                try scene.stored() == ["Note new o", "Owner o -", "Owner x -", "Part p o"])
        }
    }

    @Test(arguments: everyEngine)
    func `members of a relationship without an action may lead to nothing`(_ type: StoreType) throws
    {
        let scene = try OwnerScene(type)
        try scene.fill()

        try scene.c.performAndWait { c in
            let owner = try Self.readMembers(c)
            try scene.insertElsewhere("Loose")
            try c.delete(owner)
            try c.save()
        }

        let left = try scene.c.performAndWait {
            try $0.count(for: FetchRequest<ManagedObject>("Loose"))
        }
        #expect(left == 1)
    }

    @Test(arguments: everyEngine)
    func `a member whose deletion is given up keeps its owner`(_ type: StoreType) throws {
        for policy in [MergePolicyType.mergeByPropertyStoreTrump, .rollback] {
            let scene = try OwnerScene(type, policy)
            try scene.fill()

            try scene.c.performAndWait { c in
                let owner = try Self.readMembers(c)
                let part = try c.only("Part")
                _ = try part["name"]
                try scene.d.performAndWait { d in
                    try d.only("Part").setValue("changed", forKey: "name")
                    try d.save()
                }
                try c.delete(owner)
                try c.save()
            }

            #expect(try scene.stored() == ["Owner o -", "Owner x -", "Part changed o"])
        }
    }

    @Test(arguments: everyEngine)
    func `a cascade gives up a member that others moved, under every policy but error`(
        _ type: StoreType
    ) throws {
        let trump: [MergePolicyType] = [.mergeByPropertyObjectTrump, .overwrite]
        for policy in trump + [.mergeByPropertyStoreTrump, .rollback] {
            let scene = try OwnerScene(type, policy)
            try scene.fill()

            try scene.c.performAndWait { c in
                let owner = try Self.readMembers(c)
                let part = try c.only("Part")
                _ = try part["name"]
                try scene.d.performAndWait { d in
                    let x = try d.only("Owner", where: "name == 'x'")
                    try d.only("Part").setValue(x, forKey: "owner")
                    try d.save()
                }
                try c.delete(owner)
                try c.save()
                #expect(!part.isDeleted)
            }

            #expect(try scene.stored() == ["Owner x -", "Part p x"], "\(policy)")
        }
    }

    // MARK: A reference to an object that others deleted

    @Test(arguments: everyEngine)
    func `a reference to an object that others deleted is a conflict`(_ type: StoreType) throws {
        let scene = try OwnerScene(type)
        try scene.fill()

        let conflicts = try scene.c.performAndWait { c -> [ReferenceConflict] in
            let x = try c.only("Owner", where: "name == 'x'")
            _ = try c.insert("Part", ["name": "q", "owner": x])
            try scene.d.performAndWait { d in
                try d.delete(try d.only("Owner", where: "name == 'x'"))
                try d.save()
            }
            do { try c.save() } catch GraphError.referenceConflicts(let found) { return found }
            return []
        }

        #expect(conflicts.map(\.reason) == [.missing])
        #expect(conflicts.map(\.relationship) == ["parts"])
        #expect(try scene.stored() == ["Owner o -", "Part p o"])
    }

    @Test(arguments: everyEngine)
    func `an object that others deleted is stored again if the object trumps`(
        _ type: StoreType
    ) throws {
        for policy in [MergePolicyType.mergeByPropertyObjectTrump, .overwrite] {
            let scene = try OwnerScene(type, policy)
            try scene.fill()

            try scene.c.performAndWait { c in
                let x = try c.only("Owner", where: "name == 'x'")
                _ = try c.insert("Part", ["name": "q", "owner": x])
                try scene.d.performAndWait { d in
                    try d.delete(try d.only("Owner", where: "name == 'x'"))
                    try d.save()
                }
                try c.save()
            }

            #expect(try scene.stored() == ["Owner o -", "Owner x -", "Part p o", "Part q x"])
        }
    }

    @Test(arguments: everyEngine)
    func `a reference to an object that others deleted is given up if the store trumps`(
        _ type: StoreType
    ) throws {
        for policy in [MergePolicyType.mergeByPropertyStoreTrump, .rollback] {
            let scene = try OwnerScene(type, policy)
            try scene.fill()

            try scene.c.performAndWait { c in
                let x = try c.only("Owner", where: "name == 'x'")
                _ = try c.insert("Note", ["name": "q", "owner": x])
                _ = try c.insert("Part", ["name": "gone", "owner": x])
                try c.only("Part", where: "name == 'p'").setValue(x, forKey: "owner")
                try scene.d.performAndWait { d in
                    try d.delete(try d.only("Owner", where: "name == 'x'"))
                    try d.save()
                }
                try c.save()
            }

            #expect(try scene.stored() == ["Note q -", "Owner o -", "Part p o"])
        }
    }

    // MARK: One-to-one

    /// Seats “o” in the context and “x” elsewhere.
    private func seatBoth(_ scene: OwnerScene, merging: Bool = false) throws {
        try scene.d.performAndWait { d in
            _ = try d.insert("Seat", ["name": "s"])
            try d.save()
        }
        try scene.c.performAndWait { c in
            c.automaticallyMergesChangesFromParent = merging
            let seat = try c.only("Seat")
            _ = try seat["name"]
            if !merging { try scene.seatElsewhere() }
            try seat.setValue(try c.only("Owner", where: "name == 'o'"), forKey: "holder")
            if merging { try scene.seatElsewhere() }
        }
    }

    @Test(arguments: everyEngine)
    func `both ends of a one-to-one agree after a conflict`(_ type: StoreType) throws {
        let expected: [(MergePolicyType, [String])] = [
            (.mergeByPropertyObjectTrump, ["Owner o s", "Owner x -", "Part p o", "Seat s o"]),
            (.overwrite, ["Owner o s", "Owner x -", "Part p o", "Seat s o"]),
            (.mergeByPropertyStoreTrump, ["Owner o -", "Owner x s", "Part p o", "Seat s x"]),
            (.rollback, ["Owner o -", "Owner x s", "Part p o", "Seat s x"]),
        ]
        for (policy, expected) in expected {
            let scene = try OwnerScene(type, policy)
            try scene.fill()
            try seatBoth(scene)

            try scene.c.performAndWait { try $0.save() }

            #expect(try scene.stored() == expected, "\(policy)")
        }
    }

    @Test(arguments: everyEngine)
    func `both ends of a one-to-one agree after a merge`(_ type: StoreType) async throws {
        let scene = try OwnerScene(type, .mergeByPropertyObjectTrump)
        try scene.fill()
        try seatBoth(scene, merging: true)

        let shown = try scene.c.performAndWait { c -> [String] in
            try ["o", "x"].map { name in
                let owner = try c.only("Owner", where: "name == '\(name)'")
                let seat = try owner.value(forKey: "seat") as? ManagedObject
                return try "\(name) \(seat.map(OwnerScene.name) ?? "-")"
            }
        }
        try scene.c.performAndWait { try $0.save() }

        #expect(shown == ["o s", "x -"])
        #expect(try scene.stored() == ["Owner o s", "Owner x -", "Part p o", "Seat s o"])
    }
}

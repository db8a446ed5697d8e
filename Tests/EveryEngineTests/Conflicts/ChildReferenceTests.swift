import Cairn
import GraphSupport
import Testing

/// Children whose saves would break references of their parents.
@Suite struct `References between a child and its parent` {
    /// The child has read the members of the owner “o”, the parent inserts one without saving, and the child
    /// deletes the owner and saves. Then the parent saves.
    private func deleteOwner(
        _ scene: OwnerScene, _ policy: MergePolicyType, inserting entity: String
    ) throws -> GraphError? {
        let parent = scene.c
        let failure = try ContextHandle(parent: parent).performAndWait { child -> GraphError? in
            child.mergePolicy = StandardMergePolicy(policy)
            let owner = try child.only("Owner", where: "name == 'o'")
            for key in ["parts", "notes", "guards"] {
                _ = try owner.objectIDs(forRelationshipNamed: key)
            }
            try child.delete(owner)
            child.processPendingChanges()
            try parent.performAndWait { parent in
                let owner = try parent.only("Owner", where: "name == 'o'")
                _ = try parent.insert(entity, ["name": "new", "owner": owner])
            }
            do { try child.save() } catch let error as GraphError { return error }
            return nil
        }
        try parent.performAndWait { try $0.save() }
        return failure
    }

    @Test(arguments: everyEngine)
    func `are a conflict that names both objects`(_ type: StoreType) throws {
        let scene = try OwnerScene(type)
        try scene.fill()

        let failure = try deleteOwner(scene, .error, inserting: "Part")

        guard case .referenceConflicts(let conflicts) = failure else {
            Issue.record("The child's save ended with \(String(describing: failure)).")
            return
        }
        #expect(conflicts.map(\.relationship) == ["parts"])
        #expect(conflicts.map(\.members.count) == [1])
        #expect(try scene.stored() == ["Owner o -", "Owner x -", "Part new o", "Part p o"])
    }

    @Test(arguments: everyEngine)
    func `are resolved by the child's merge policy`(_ type: StoreType) throws {
        let all = ["Owner o -", "Owner x -", "Part p o"]
        let expected: [(MergePolicyType, String, [String])] = [
            (.mergeByPropertyObjectTrump, "Part", ["Owner x -"]),
            (.overwrite, "Note", ["Note new -", "Owner x -"]),
            (.mergeByPropertyStoreTrump, "Note", ["Note new o"] + all),
            (.rollback, "Part", (["Part new o"] + all).sorted()),
        ]
        for (policy, entity, stored) in expected {
            let scene = try OwnerScene(type)
            try scene.fill()

            let failure = try deleteOwner(scene, policy, inserting: entity)

            #expect(failure == nil, "\(policy)")
            #expect(try scene.stored() == stored, "\(policy)")
        }
    }

    @Test(arguments: everyEngine)
    func `are denied by a deny rule`(_ type: StoreType) throws {
        let scene = try OwnerScene(type)
        try scene.fill()

        let failure = try deleteOwner(scene, .overwrite, inserting: "Guard")

        guard case .validation(let failures) = failure else {
            Issue.record("The child's save ended with \(String(describing: failure)).")
            return
        }
        #expect(failures.map(\.code) == [1600])
    }

    @Test(arguments: everyEngine)
    func `lead to no object that the parent deletes`(_ type: StoreType) throws {
        let scene = try OwnerScene(type)
        try scene.fill()
        let parent = scene.c

        let reasons = try ContextHandle(parent: parent).performAndWait { child in
            let x = try child.only("Owner", where: "name == 'x'")
            _ = try child.insert("Part", ["name": "q", "owner": x])
            try parent.performAndWait { parent in
                try parent.delete(try parent.only("Owner", where: "name == 'x'"))
            }
            do { try child.save() } catch GraphError.referenceConflicts(let conflicts) {
                return conflicts.map(\.reason)
            }
            return []
        }
        try parent.performAndWait { try $0.save() }

        #expect(reasons == [ReferenceConflict.Reason.missing])
        #expect(try scene.stored() == ["Owner o -", "Part p o"])
    }
}

import Cairn
import CairnTestSupport
import GraphSupport
import Testing

/// A relationship that must have members, whose members are taken away by two contexts.
@Suite struct `Members that an object needs` {
    private static func coordinator(
        _ type: StoreType, in folder: TemporaryFolder, isManyToMany: Bool
    ) throws -> PersistentStoreCoordinator {
        var players = RelationshipDescription.toMany("players", "Player", inverse: "team")
        players.isOptional = false
        players.minimumCount = 1
        let team =
            isManyToMany
            ? RelationshipDescription.toMany("team", "Team", inverse: "players")
            : RelationshipDescription.toOne("team", "Team", inverse: "players")
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([
                EntityDescription("Team", [.attribute("name", .string), .relationship(players)]),
                EntityDescription("Player", [.attribute("name", .string), .relationship(team)]),
            ]))
        try coordinator.addPersistentStore(
            ofType: type, at: folder.url(of: type, "teams.store"),
            options: [.timeout: .real(60)])
        return coordinator
    }

    /// Two contexts each delete one of the two players of a team. Returns the reasons of the conflicts of the
    /// second save, and the names of the players that are stored in the end.
    private func deletePlayers(
        _ type: StoreType, _ policy: MergePolicyType, isManyToMany: Bool
    ) throws -> (reasons: [ReferenceConflict.Reason], left: [String]) {
        let folder = try TemporaryFolder()
        let coordinator = try Self.coordinator(type, in: folder, isManyToMany: isManyToMany)
        let (c, d) = (
            ContextHandle(coordinator: coordinator), ContextHandle(coordinator: coordinator)
        )
        try d.performAndWait { d in
            let team = try d.insert("Team", ["name": "t"])
            for name in ["a", "b"] {
                let player = try d.insert("Player", ["name": name])
                try team.mutableSetValue(forKey: "players").add(player)
            }
            try d.save()
            d.reset()
        }
        let reasons = try c.performAndWait { c -> [ReferenceConflict.Reason] in
            c.mergePolicy = StandardMergePolicy(policy)
            // The context knows both players when the event of the deletion ends.
            _ = try c.only("Team").objectIDs(forRelationshipNamed: "players")
            try c.delete(try c.only("Player", where: "name == 'a'"))
            c.processPendingChanges()
            try d.performAndWait { d in
                try d.delete(try d.only("Player", where: "name == 'b'"))
                try d.save()
            }
            do { try c.save() } catch GraphError.referenceConflicts(let found) {
                return found.map(\.reason)
            }
            return []
        }
        let left = try ContextHandle(coordinator: coordinator).performAndWait {
            try $0.only("Team").names("players", "name")
        }
        return (reasons, left)
    }

    @Test(arguments: everyEngine)
    func `are not all taken away by saves that each leave one`(_ type: StoreType) throws {
        for isManyToMany in [false, true] {
            for policy in [MergePolicyType.error, .mergeByPropertyObjectTrump, .overwrite] {
                let (reasons, left) = try deletePlayers(
                    type, policy, isManyToMany: isManyToMany)

                #expect(reasons == [.tooFewMembers], "\(policy) \(isManyToMany)")
                #expect(left == ["a"], "\(policy) \(isManyToMany)")
            }
        }
    }

    @Test(arguments: everyEngine)
    func `are kept if the store trumps`(_ type: StoreType) throws {
        for isManyToMany in [false, true] {
            for policy in [MergePolicyType.mergeByPropertyStoreTrump, .rollback] {
                let (reasons, left) = try deletePlayers(
                    type, policy, isManyToMany: isManyToMany)

                #expect(reasons == [], "\(policy) \(isManyToMany)")
                #expect(left == ["a"], "\(policy) \(isManyToMany)")
            }
        }
    }
}

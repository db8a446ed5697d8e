import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

/// Nullifying from the to-many side, when the members need not be held in memory.
@Suite struct `Nullify of a one-to-many` {
    private func stack(memberIsRequired: Bool) throws -> MusicStack {
        var members = RelationshipDescription.toMany(
            "members", "Player", inverse: "band", isOptional: !memberIsRequired,
            deleteRule: .nullify)
        members.minimumCount = memberIsRequired ? 1 : 0
        return try MusicStack([
            EntityDescription("Band", [.relationship(members)]),
            EntityDescription("Player", [.toOne("band", "Band", inverse: "members")]),
        ])
    }

    /// Saves a band with players, releases all players, and returns the band's ID.
    private func saveBand(_ stack: MusicStack, playerCount: Int) throws -> ObjectID {
        let context = try stack.context()
        let band = try context.insertNewObject(forEntityName: "Band")
        for _ in 0..<playerCount {
            try context.insertNewObject(forEntityName: "Player").setValue(band, forKey: "band")
        }
        try context.save()
        return band.objectID
    }

    @Test func `clears the to-ones of members that no one holds`() throws {
        let stack = try stack(memberIsRequired: false)
        let bandID = try saveBand(stack, playerCount: 3)
        let context = try stack.context()

        try context.delete(try context.object(with: bandID))
        try context.save()

        let players = try stack.context().fetch(FetchRequest<ManagedObject>("Player")) as [_]
        #expect(players.count == 3)
        for player in players { #expect(try player["band"] == .null) }
    }

    @Test func `is refused if it removes the last member of a required relationship`() throws {
        let stack = try stack(memberIsRequired: true)
        _ = try saveBand(stack, playerCount: 1)
        let context = try stack.context()
        let player = try #require(try context.fetch(FetchRequest<ManagedObject>("Player")).first)

        try context.delete(player)

        #expect(throws: GraphError.self) { try context.save() }
        #expect(try stack.context().count(for: FetchRequest<ManagedObject>("Player")) == 1)
    }

    @Test func `is allowed while a required relationship keeps a member`() throws {
        let stack = try stack(memberIsRequired: true)
        _ = try saveBand(stack, playerCount: 2)
        let context = try stack.context()
        let player = try #require(try context.fetch(FetchRequest<ManagedObject>("Player")).first)

        try context.delete(player)
        try context.save()

        #expect(try stack.context().count(for: FetchRequest<ManagedObject>("Player")) == 1)
    }
}

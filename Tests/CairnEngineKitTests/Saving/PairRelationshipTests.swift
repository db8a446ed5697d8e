import CairnModel
import Testing

@testable import CairnEngineKit

@Suite struct `Relationships that are stored as pairs` {
    private let model: ManagedObjectModel

    init() throws {
        var poet = EntityDescription("Poet", [])
        poet.superentity = "Author"
        model = try ManagedObjectModel(
            ModelDescription([
                EntityDescription(
                    "Author",
                    [
                        .toMany("tags", "Tag", inverse: "authors"),
                        .toMany("friends", "Author", inverse: "friends"),
                        .toMany("books", "Book", inverse: "author"),
                    ]),
                EntityDescription("Book", [.toOne("author", "Author", inverse: "books")]),
                EntityDescription("Tag", [.toMany("authors", "Author", inverse: "tags")]),
                poet,
            ]))
    }

    private func relationship(_ entity: String, _ name: String) throws -> Relationship {
        let entity = try #require(model.entity(named: entity))
        return try #require(entity.relationship(named: name))
    }

    @Test func `have one owning side, from which the other is read backward`() throws {
        let pairs = try #require(PairRelationship(try relationship("Author", "tags")))

        #expect(pairs.sides.map(\.relationship.name) == ["tags", "authors"])
        #expect(pairs.sides.map(\.isForward) == [true, false])
        #expect(!pairs.isSymmetric)
        #expect(PairRelationship(try relationship("Tag", "authors")) == nil)
    }

    @Test func `that are their own inverse have one side`() throws {
        let pairs = try #require(PairRelationship(try relationship("Author", "friends")))

        #expect(pairs.isSymmetric)
        #expect(pairs.sides.map(\.isForward) == [true])
    }

    @Test func `name the entities of both sides with their subentities`() throws {
        let pairs = try #require(PairRelationship(try relationship("Author", "tags")))

        #expect(pairs.ownerEntities.map(\.name) == ["Author", "Poet"])
        #expect(pairs.memberEntities.map(\.name) == ["Tag"])
    }

    @Test func `do not include one-to-many relationships`() throws {
        #expect(PairRelationship(try relationship("Author", "books")) == nil)
        #expect(PairRelationship(try relationship("Book", "author")) == nil)
    }
}

@Suite struct `Property keys` {
    @Test func `are equal for the same property of equal models`() throws {
        let description = ModelDescription([
            EntityDescription("A", [.attribute("x", .string), .attribute("y", .string)])
        ])
        let models = try [ManagedObjectModel(description), ManagedObjectModel(description)]
        let keys = try models.map { model in
            let entity = try #require(model.entity(named: "A"))
            return try ["x", "y"].map { PropertyKey(try #require(entity.attribute(named: $0))) }
        }

        #expect(keys[0] == keys[1])
        #expect(keys[0][0] != keys[0][1])
    }
}

import CairnTesting
import Foundation
import GraphSupport
import Testing

@Suite struct `A fixture with relationships` {
    private func text(
        _ entities: [EntityDescription], of name: String, count: Int = 1
    ) async throws -> String {
        try await build(entities) { fixtures in
            try fixtures.make(entity: name, count: count)
            return try fixtures.context.graphText()
        }
    }

    @Test func `has its own required destinations`() async throws {
        let entities = [
            EntityDescription(
                "Book",
                [
                    .toOne("author", "Author", inverse: "books", isOptional: false),
                    .toOne("editor", "Author"),
                ]),
            EntityDescription(
                "Author",
                [
                    .attribute("name", .string, isOptional: false),
                    .toMany("books", "Book", inverse: "author"),
                ]),
        ]

        #expect(
            try await text(entities, of: "Book", count: 2) == """
                Author#1
                  name: "name 1"
                  books: {Book#1}
                Author#2
                  name: "name 2"
                  books: {Book#2}
                Book#1
                  author: Author#1
                Book#2
                  author: Author#2
                """)
    }

    @Test(arguments: [false, true])
    func `has as many members as it requires`(_ isOrdered: Bool) async throws {
        var members = RelationshipDescription.toMany(
            "members", "Player", inverse: "team", isOrdered: isOrdered, isOptional: false)
        members.minimumCount = 3
        let entities = [
            EntityDescription("Team", [.relationship(members)]),
            EntityDescription(
                "Player", [.toOne("team", "Team", inverse: "members", isOptional: false)]),
        ]

        let (ofTeam, ofPlayer) = (
            try await text(entities, of: "Team"), try await text(entities, of: "Player")
        )

        #expect(ofTeam == ofPlayer)
        #expect(
            ofTeam.hasSuffix(
                "Team#1\n  members: " + (isOrdered ? "[" : "{")
                    + "Player#1, Player#2, Player#3" + (isOrdered ? "]" : "}")))
    }

    @Test func `has the required number of members in an optional relationship once it has one`()
        async throws
    {
        var members = RelationshipDescription.toMany("members", "Player", inverse: "team")
        members.minimumCount = 2
        let entities = [
            EntityDescription("Team", [.relationship(members)]),
            EntityDescription(
                "Player", [.toOne("team", "Team", inverse: "members", isOptional: false)]),
        ]

        #expect(try await text(entities, of: "Team") == "Team#1")
        #expect(
            try await text(entities, of: "Player").hasPrefix("Player#1\n  team: Team#1\nPlayer#2"))
    }

    @Test func `is linked through the inverse if both ends are required`() async throws {
        let entities = [
            EntityDescription(
                "Head", [.toOne("body", "Body", inverse: "head", isOptional: false)]),
            EntityDescription(
                "Body", [.toOne("head", "Head", inverse: "body", isOptional: false)]),
        ]

        #expect(
            try await text(entities, of: "Head") == """
                Body#1
                  head: Head#1
                Head#1
                  body: Body#1
                """)
    }

    @Test func `closes a cycle of required relationships`() async throws {
        let entities = [
            EntityDescription(
                "Person",
                [
                    .attribute("name", .string, isOptional: false),
                    .toOne("mentor", "Person", inverse: "pupils", isOptional: false),
                    .toMany("pupils", "Person", inverse: "mentor"),
                ])
        ]

        #expect(
            try await text(entities, of: "Person") == """
                Person#1
                  name: "name 1"
                  mentor: Person#2
                  pupils: {Person#2}
                Person#2
                  name: "name 2"
                  mentor: Person#1
                  pupils: {Person#1}
                """)
    }

    @Test func `with a cycle that cannot be closed throws an error`() async throws {
        var left = RelationshipDescription.toMany("children", "Node", inverse: "parent")
        left.minimumCount = 2
        left.isOptional = false
        let entities = [
            EntityDescription(
                "Node", [.relationship(left), .toOne("parent", "Node", inverse: "children")])
        ]

        let (error, isEmpty) = try await build(entities) { fixtures in
            let error = #expect(throws: FixtureError.self) { try fixtures.make(entity: "Node") }
            return (error, try fixtures.context.graphText().isEmpty)
        }

        #expect(
            error?.reason == "the required relationships form a cycle that cannot be closed: "
                + "Node.children → Node.children")
        #expect(isEmpty)
    }

    @Test func `with an abstract destination has an object of the first subentity`() async throws {
        var shape = EntityDescription("Shape", [])
        shape.isAbstract = true
        let entities = [
            EntityDescription("Page", [.toOne("shape", "Shape", isOptional: false)]), shape,
            EntityDescription("Circle", superentity: "Shape", []),
            EntityDescription("Square", superentity: "Shape", []),
        ]

        #expect(try await text(entities, of: "Page") == "Circle#1\nPage#1\n  shape: Circle#1")
    }

    @Test func `has the same values each time`() async throws {
        func text() async throws -> String {
            let container = try await PersistentContainer.inMemory(
                ManagedObjectModel(ItemStack.entities + StudioLike.entities))
            return try await container.perform { context in
                let fixtures = FixtureBuilder(context)
                for name in ["Item", "Box", "Label", "Track", "Item"] {
                    try fixtures.make(entity: name, count: 2)
                }
                return try context.graphText()
            }
        }

        #expect(try await text() == text())
        #expect(try await text().contains("title: \"title 2\""))
    }
}

private enum StudioLike {
    static let entities = [
        EntityDescription(
            "Track",
            [
                .attribute("title", .string, isOptional: false),
                .toOne("album", "Album", inverse: "tracks", isOptional: false),
            ]),
        EntityDescription(
            "Album",
            [
                .attribute("name", .string, isOptional: false),
                .toMany("tracks", "Track", inverse: "album", isOrdered: true),
            ]),
    ]
}

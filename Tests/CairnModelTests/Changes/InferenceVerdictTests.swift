import Testing

@testable import CairnModel

@Suite struct `Verdict on inference` {
    private static func verdict(
        _ old: [EntityDescription], _ new: [EntityDescription]
    ) throws -> InferenceVerdict {
        try InferenceVerdict(from: ManagedObjectModel(old), to: ManagedObjectModel(new))
    }

    /// Judges a change of one attribute.
    private static func verdict(
        _ old: AttributeDescription?, _ new: AttributeDescription?
    ) throws -> InferenceVerdict {
        func entity(_ attribute: AttributeDescription?) -> EntityDescription {
            EntityDescription("Book", attribute.map { [.attribute($0)] } ?? [])
        }
        return try verdict([entity(old)], [entity(new)])
    }

    private static func attribute(
        _ type: AttributeType = .string, isOptional: Bool = true, defaultValue: Value = .null
    ) -> AttributeDescription {
        var attribute = AttributeDescription("title", type)
        attribute.isOptional = isOptional
        attribute.defaultValue = defaultValue
        return attribute
    }

    @Test func `adds and removes what is optional or has a default`() throws {
        let added = try Self.verdict(nil, Self.attribute())
        let filled = try Self.verdict(nil, Self.attribute(isOptional: false, defaultValue: "x"))
        let removed = try Self.verdict(Self.attribute(), nil)

        #expect(added == InferenceVerdict())
        #expect(filled == InferenceVerdict())
        #expect(removed.isPossible)
        #expect(removed.losses.map(\.description) == ["Book.title: its values are removed"])
    }

    @Test func `refuses what is required and has no default`() throws {
        let required = Self.attribute(isOptional: false)

        let added = try Self.verdict(nil, required)
        let tightened = try Self.verdict(Self.attribute(), required)
        let filled = try Self.verdict(
            Self.attribute(), Self.attribute(isOptional: false, defaultValue: "x"))
        let relaxed = try Self.verdict(required, Self.attribute())

        #expect(added.refusals.map(\.property) == ["title"])
        #expect(added.refusals[0].reason.contains("give it one, or make it optional"))
        #expect(tightened.refusals.map(\.property) == ["title"])
        #expect(filled.isPossibleInCoreData)
        #expect(relaxed.isPossibleInCoreData)
    }

    @Test(arguments: [
        (AttributeType.integer16, AttributeType.integer64), (.float, .double), (.uuid, .string),
        (.boolean, .integer16), (.integer32, .double),
    ]) func `a type change that loses nothing is an extension`(
        old: AttributeType, new: AttributeType
    ) throws {
        let wider = try Self.verdict(Self.attribute(old), Self.attribute(new))
        let narrower = try Self.verdict(Self.attribute(new), Self.attribute(old))

        #expect(wider.isPossible && !wider.isPossibleInCoreData)
        #expect(!narrower.isPossible)
    }

    @Test func `a to-one becomes a to-many, and not the other way`() throws {
        let one = EntityDescription("Book", [.toOne("next", "Book")])
        let many = EntityDescription("Book", [.toMany("next", "Book")])
        let ordered = EntityDescription("Book", [.toMany("next", "Book", isOrdered: true)])

        #expect(try Self.verdict([one], [many]) == InferenceVerdict())
        #expect(try Self.verdict([many], [ordered]) == InferenceVerdict())
        #expect(try Self.verdict([ordered], [many]).losses.map(\.property) == ["next"])
        #expect(try Self.verdict([many], [one]).refusals.map(\.property) == ["next"])
    }

    @Test func `refuses a relationship that is required or leads elsewhere`() throws {
        let shelf = EntityDescription("Shelf")
        let room = EntityDescription("Room")
        let none = EntityDescription("Book")
        let optional = EntityDescription("Book", [.toOne("shelf", "Shelf")])
        let required = EntityDescription("Book", [.toOne("shelf", "Shelf", isOptional: false)])
        let elsewhere = EntityDescription("Book", [.toOne("shelf", "Room")])

        #expect(try !Self.verdict([none, shelf], [required, shelf]).isPossible)
        #expect(try !Self.verdict([optional, shelf], [required, shelf]).isPossible)
        #expect(try Self.verdict([none, shelf], [optional, shelf]).isPossible)
        #expect(try !Self.verdict([optional, shelf, room], [elsewhere, shelf, room]).isPossible)
    }

    @Test func `a destination may become a superentity of what it was`() throws {
        let above = EntityDescription("Thing")
        let below = EntityDescription("Shelf", superentity: "Thing")
        let old = EntityDescription("Book", [.toOne("on", "Shelf")])
        let new = EntityDescription("Book", [.toOne("on", "Thing")])

        #expect(try Self.verdict([above, below, old], [above, below, new]).isPossible)
        #expect(try !Self.verdict([above, below, new], [above, below, old]).isPossible)
    }

    @Test func `refuses an inverse that had destinations of its own`() throws {
        let alone = [
            EntityDescription("Book", [.toOne("author", "Author")]),
            EntityDescription("Author", [.toMany("books", "Book")]),
        ]
        let joined = [
            EntityDescription("Book", [.toOne("author", "Author", inverse: "books")]),
            EntityDescription("Author", [.toMany("books", "Book", inverse: "author")]),
        ]
        let before = [alone[0], EntityDescription("Author")]

        #expect(try !Self.verdict(alone, joined).isPossible)
        #expect(try Self.verdict(before, joined).isPossible)
        #expect(try Self.verdict(joined, alone).isPossible)
    }

    @Test func `refuses to merge hierarchies, and lets them part`() throws {
        let apart = [EntityDescription("Car"), EntityDescription("Boat")]
        let together = [
            EntityDescription("Vehicle"), EntityDescription("Car", superentity: "Vehicle"),
            EntityDescription("Boat", superentity: "Vehicle"),
        ]

        let merged = try Self.verdict(apart, together)

        #expect(merged.refusals.map(\.entity) == ["Boat", "Car"])
        #expect(try Self.verdict(together, apart).isPossible)
        #expect(try Self.verdict([apart[0]], Array(together.prefix(2))).isPossible)
    }

    @Test func `names conditions on the stored objects`() throws {
        let old = EntityDescription("Book", [.attribute("title", .string)])
        var new = EntityDescription("Book", isAbstract: true, old.properties)
        new.uniquenessConstraints = [["title"]]

        let verdict = try Self.verdict([old], [new])

        #expect(verdict.isPossible)
        #expect(verdict.conditions.count == 2)
    }

    @Test func `refuses an attribute that became a relationship, and a contested name`()
        throws
    {
        let attribute = EntityDescription("Book", [.attribute("author", .string)])
        let relationship = EntityDescription("Book", [.toOne("author", "Book")])
        var renamed = AttributeDescription("writer", .string)
        renamed.renamingIdentifier = "author"
        let both = EntityDescription(
            "Book", [.attribute("author", .string), .attribute(renamed)])

        #expect(try Self.verdict([attribute], [relationship]).refusals.count == 1)
        #expect(try Self.verdict([attribute], [both]).refusals.count == 1)
    }

    @Test func `a derived attribute is computed, whatever it was`() throws {
        var derived = Self.attribute(isOptional: false)
        derived.derivation = Derivation(expression: "canonical:(title)")
        derived.name = "folded"

        let verdict = try Self.verdict(
            [EntityDescription("Book", [.attribute(Self.attribute())])],
            [EntityDescription("Book", [.attribute(Self.attribute()), .attribute(derived)])])

        #expect(verdict == InferenceVerdict())
    }
}

import Testing

@testable import CairnModel

@Suite struct `Verdict on inference` {
    private static func verdict(
        _ old: [EntityDescription], _ new: [EntityDescription]
    ) throws -> InferenceVerdict {
        try InferenceVerdict(from: ManagedObjectModel(old), to: ManagedObjectModel(new))
    }

    /// Returns the verdict on a change of one attribute.
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

    @Test func `allows adding and removing properties that are optional or have a default`() throws
    {
        let added = try Self.verdict(nil, Self.attribute())
        let filled = try Self.verdict(nil, Self.attribute(isOptional: false, defaultValue: "x"))
        let removed = try Self.verdict(Self.attribute(), nil)

        #expect(added == InferenceVerdict())
        #expect(filled == InferenceVerdict())
        #expect(removed.isPossible)
        #expect(removed.losses.map(\.description) == ["Book.title: its values are removed"])
    }

    @Test func `demands values of properties that are required and have no default`() throws {
        let required = Self.attribute(isOptional: false)

        let added = try Self.verdict(nil, required)
        let tightened = try Self.verdict(Self.attribute(), required)
        let filled = try Self.verdict(
            Self.attribute(), Self.attribute(isOptional: false, defaultValue: "x"))
        let relaxed = try Self.verdict(required, Self.attribute())

        for verdict in [added, tightened] {
            #expect(verdict.isPossibleInCoreData && verdict.demandsValues)
            #expect(verdict.conditions.map(\.property) == ["title"])
        }
        #expect(
            added.conditions.first?.reason.contains("give it a default value, or make it optional")
                == true)
        #expect(filled == InferenceVerdict())
        #expect(relaxed == InferenceVerdict())
    }

    @Test func `suggests a renaming identifier for what seems to have a new name`() throws {
        var named = Self.attribute(isOptional: false)
        named.name = "name"
        let other = PropertyDescription.attribute("subtitle", .string)
        let pages = PropertyDescription.attribute("pages", .integer32)
        func verdict(_ others: PropertyDescription...) throws -> InferenceVerdict {
            try Self.verdict(
                [EntityDescription("Book", [.attribute(Self.attribute())] + others)],
                [EntityDescription("Book", [.attribute(named)])])
        }

        let one = try verdict(pages)
        let several = try verdict(other)
        let none = try Self.verdict(
            [EntityDescription("Book", [pages])], [EntityDescription("Book", [.attribute(named)])])

        #expect(
            one.conditions.first?.reason.hasSuffix(
                "if “title” was renamed to it, set its renaming identifier to “title”") == true
        )
        #expect(several.conditions.first?.reason.hasSuffix("to the old name") == true)
        #expect(none.conditions.first?.reason.hasSuffix("make it optional") == true)
    }

    @Test(arguments: [
        (AttributeType.uuid, AttributeType.string), (.boolean, .integer16), (.integer32, .string),
    ]) func `treats a type change that loses nothing as an extension`(
        old: AttributeType, new: AttributeType
    ) throws {
        let wider = try Self.verdict(Self.attribute(old), Self.attribute(new))
        let narrower = try Self.verdict(Self.attribute(new), Self.attribute(old))

        #expect(wider.isPossible && !wider.isPossibleInCoreData)
        #expect(!narrower.isPossible)
    }

    @Test(arguments: [
        (AttributeType.integer16, AttributeType.integer64), (.float, .double),
        (.integer32, .double),
    ]) func `allows numbers to become others, if they are represented exactly`(
        old: AttributeType, new: AttributeType
    ) throws {
        let wider = try Self.verdict(Self.attribute(old), Self.attribute(new))
        let narrower = try Self.verdict(Self.attribute(new), Self.attribute(old))

        #expect(wider == InferenceVerdict())
        #expect(narrower.isPossibleInCoreData && !narrower.demandsValues)
        #expect(narrower.conditions.map(\.property) == ["title"])
    }

    @Test func `allows a to-one to become a to-many, but not the reverse`() throws {
        let one = EntityDescription("Book", [.toOne("next", "Book")])
        let many = EntityDescription("Book", [.toMany("next", "Book")])
        let ordered = EntityDescription("Book", [.toMany("next", "Book", isOrdered: true)])

        #expect(try Self.verdict([one], [many]) == InferenceVerdict())
        #expect(try Self.verdict([many], [ordered]) == InferenceVerdict())
        #expect(try Self.verdict([ordered], [many]).losses.map(\.property) == ["next"])
        #expect(try Self.verdict([many], [one]).refusals.map(\.property) == ["next"])
    }

    @Test func `refuses a relationship that leads elsewhere, and demands values of a required one`()
        throws
    {
        let shelf = EntityDescription("Shelf")
        let room = EntityDescription("Room")
        let none = EntityDescription("Book")
        let optional = EntityDescription("Book", [.toOne("shelf", "Shelf")])
        let required = EntityDescription("Book", [.toOne("shelf", "Shelf", isOptional: false)])
        let elsewhere = EntityDescription("Book", [.toOne("shelf", "Room")])

        let added = try Self.verdict([none, shelf], [required, shelf])
        #expect(added.isPossibleInCoreData && added.demandsValues)
        #expect(added.conditions.map(\.property) == ["shelf"])
        let demanded = try Self.verdict([optional, shelf], [required, shelf])
        #expect(demanded.isPossibleInCoreData)
        #expect(demanded.conditions.map(\.property) == ["shelf"])
        #expect(try Self.verdict([none, shelf], [optional, shelf]).isPossible)
        #expect(try !Self.verdict([optional, shelf, room], [elsewhere, shelf, room]).isPossible)
    }

    @Test func `allows a destination to become its superentity`() throws {
        let above = EntityDescription("Thing")
        let below = EntityDescription("Shelf", superentity: "Thing")
        let old = EntityDescription("Book", [.toOne("on", "Shelf")])
        let new = EntityDescription("Book", [.toOne("on", "Thing")])

        #expect(try Self.verdict([above, below, old], [above, below, new]).isPossible)
        #expect(try !Self.verdict([above, below, new], [above, below, old]).isPossible)
    }

    @Test func `sets a condition for an inverse that already had destinations`() throws {
        let alone = [
            EntityDescription("Book", [.toOne("author", "Author")]),
            EntityDescription("Author", [.toMany("books", "Book")]),
        ]
        let joined = [
            EntityDescription("Book", [.toOne("author", "Author", inverse: "books")]),
            EntityDescription("Author", [.toMany("books", "Book", inverse: "author")]),
        ]
        let before = [alone[0], EntityDescription("Author")]

        let verdict = try Self.verdict(alone, joined)

        #expect(verdict.isPossible && verdict.isPossibleInCoreData)
        #expect(verdict.conditions.map(\.description).count == 1)
        #expect(verdict.conditions.first?.description.contains("must lead back") == true)
        #expect(try Self.verdict(before, joined).conditions == [])
        #expect(try Self.verdict(joined, alone).isPossible)
    }

    /// Whether the relationship that already has destinations was that of the entity or of a subentity of it.
    @Test(arguments: ["Writer", "Novelist"])
    func `refuses a new to-one inverse of a relationship that has destinations`(
        _ declaring: String
    ) throws {
        func writers(_ relationship: PropertyDescription, of entity: String) -> [EntityDescription]
        {
            [nil, "Writer"].map { above in
                let name = above == nil ? "Writer" : "Novelist"
                return EntityDescription(
                    name, superentity: above, name == entity ? [relationship] : [])
            }
        }
        let before =
            writers(.toOne("agent", "Agent", inverse: "clients"), of: declaring)
            + [EntityDescription("Agent", [.toMany("clients", declaring, inverse: "agent")])]
        let after =
            writers(.toOne("agent", "Agent", inverse: "client"), of: "Writer")
            + [EntityDescription("Agent", [.toOne("client", "Writer", inverse: "agent")])]

        let refusals = try Self.verdict(before, after).refusals

        #expect(refusals.map(\.property) == ["client"])
    }

    @Test func `refuses to merge hierarchies, but allows splitting them`() throws {
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

    @Test func `refuses an attribute that became a relationship, and a name claimed twice`()
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

    @Test func `computes an attribute that became derived, whatever it was before`() throws {
        var derived = Self.attribute(isOptional: false)
        derived.derivation = Derivation(expression: "canonical:(title)")
        derived.name = "folded"

        let verdict = try Self.verdict(
            [EntityDescription("Book", [.attribute(Self.attribute())])],
            [EntityDescription("Book", [.attribute(Self.attribute()), .attribute(derived)])])

        #expect(verdict == InferenceVerdict())
    }

    // MARK: Destinations with fewer possible objects

    /// Returns an item with a relationship to a thing. Several entities are kinds of things.
    private static func things(
        _ relationship: RelationshipDescription, without kind: String? = nil
    ) -> [EntityDescription] {
        let all = [
            EntityDescription("Item", [.relationship(relationship)]), EntityDescription("Thing"),
            EntityDescription("Box", superentity: "Thing"),
            EntityDescription("Jar", superentity: "Thing"),
        ]
        return all.filter { $0.name != kind }
    }

    @Test func `makes a required to-one whose destination's entity is removed a condition`() throws
    {
        let required = RelationshipDescription.toOne("in", "Thing", isOptional: false)
        let optional = RelationshipDescription.toOne("in", "Thing")

        let strict = try Self.verdict(Self.things(required), Self.things(required, without: "Jar"))
        let loose = try Self.verdict(Self.things(optional), Self.things(optional, without: "Jar"))

        #expect(strict.isPossible)
        #expect(
            strict.conditions.map(\.description) == [
                "Item.in: it is required, so no destination may be an object of “Jar”, because that"
                    + " entity was removed"
            ])
        #expect(loose.conditions == [])
        #expect(loose.losses.map(\.property) == ["in", nil])
    }

    @Test func `makes a required to-one whose destination leaves the hierarchy a condition`() throws
    {
        let required = RelationshipDescription.toOne("in", "Thing", isOptional: false)
        var parted = Self.things(required)
        parted[3].superentity = nil

        let verdict = try Self.verdict(Self.things(required), parted)

        #expect(verdict.conditions.map(\.property) == ["in"])
        #expect(
            verdict.conditions.first?.reason.contains("no longer inherits from “Thing”") == true)
        #expect(verdict.losses == [])
    }

    @Test func `reports a to-many that requires members and loses some as an unchecked rule`()
        throws
    {
        var required = RelationshipDescription.toMany("in", "Thing", isOptional: false)
        required.minimumCount = 1
        var two = RelationshipDescription.toMany("in", "Thing")
        two.minimumCount = 2
        let optional = RelationshipDescription.toMany("in", "Thing")
        let unbounded = RelationshipDescription.toMany("in", "Thing", isOptional: false)

        let verdicts = try [required, two, optional, unbounded].map {
            try Self.verdict(Self.things($0), Self.things($0, without: "Jar"))
        }

        #expect(verdicts.map(\.uncheckedRules.count) == [1, 1, 0, 0])
        #expect(
            verdicts[1].uncheckedRules.first?.reason.contains("at least 2 destinations") == true)
        #expect(verdicts.allSatisfy { $0.losses.count == 2 && $0.isPossible })
    }

    @Test func `reports no loss of objects for a removed abstract entity`() throws {
        let required = RelationshipDescription.toOne("in", "Thing", isOptional: false)
        var old = Self.things(required)
        old[3].isAbstract = true

        let verdict = try Self.verdict(old, Self.things(required, without: "Jar"))

        #expect(verdict == InferenceVerdict())
    }

    @Test func `reports the loss of a removed entity whose subentities stay`() throws {
        let required = RelationshipDescription.toOne("in", "Thing", isOptional: false)
        var old = Self.things(required)
        old[3].superentity = "Box"
        var new = Self.things(required, without: "Box")
        new[2].superentity = "Thing"

        let verdict = try Self.verdict(old, new)

        #expect(verdict.conditions.map(\.property) == ["in"])
        #expect(verdict.losses.map(\.description) == ["Box: its objects are removed"])
    }

    @Test func `refuses a relationship to an entity that took the name of a removed one`() throws {
        var jar = EntityDescription("Box")
        jar.renamingIdentifier = "Jar"
        let item = EntityDescription("Item", [.toOne("in", "Box")])

        let verdict = try Self.verdict(
            [item, EntityDescription("Box"), EntityDescription("Jar")], [item, jar])

        #expect(verdict.refusals.map(\.property) == ["in"])
    }

    @Test func `refuses an inverse that took the name of another`() throws {
        func model(_ first: String, _ second: String, isRenamed: Bool) -> [EntityDescription] {
            func toMany(_ name: String, _ inverse: String, from: String) -> PropertyDescription {
                var it = RelationshipDescription.toMany(name, "Item", inverse: inverse)
                it.renamingIdentifier = isRenamed ? from : nil
                return .relationship(it)
            }
            return [
                EntityDescription(
                    "Item",
                    [.toOne("a", "Box", inverse: "x"), .toOne("b", "Box", inverse: "y")]),
                EntityDescription(
                    "Box", [toMany("x", "a", from: first), toMany("y", "b", from: second)]),
            ]
        }

        let crossed = try Self.verdict(
            model("x", "y", isRenamed: false), model("y", "x", isRenamed: true))

        #expect(!crossed.isPossible)
    }

    @Test func `reports stricter counts and validation rules as unchecked`() throws {
        func entities(_ least: Int, _ most: Int, _ rules: [ValidationRule]) -> [EntityDescription] {
            var many = RelationshipDescription.toMany("parts", "Book")
            (many.minimumCount, many.maximumCount) = (least, most)
            return [
                EntityDescription(
                    "Book",
                    [
                        .relationship(many),
                        .attribute(
                            "title", .string, isOptional: true, validationRules: rules),
                    ])
            ]
        }
        let strict = entities(2, 5, [.maximumLength(10)])

        let stricter = try Self.verdict(entities(0, 0, []), strict)
        let looser = try Self.verdict(strict, entities(0, 0, []))

        #expect(stricter.isPossible)
        #expect(
            stricter.uncheckedRules.map(\.description) == [
                "Book.parts: it now needs at least 2 destinations",
                "Book.parts: it may now have at most 5 destinations",
                "Book.title: its validation rules changed",
            ])
        #expect(looser == InferenceVerdict())
    }

    @Test func `sets a condition for a new required relationship, except on a new entity`() throws {
        let toOne = RelationshipDescription.toOne("shelf", "Shelf", isOptional: false)
        var toMany = RelationshipDescription.toMany("shelves", "Shelf", isOptional: false)
        toMany.minimumCount = 1
        let shelf = EntityDescription("Shelf")

        for relationship in [toOne, toMany] {
            let book = EntityDescription("Book", [.relationship(relationship)])
            let added = try Self.verdict([EntityDescription("Book"), shelf], [book, shelf])
            #expect(added.isPossible)
            #expect(
                (added.conditions + added.uncheckedRules).map(\.property) == [relationship.name])
            #expect(try Self.verdict([shelf], [book, shelf]) == InferenceVerdict())
        }
    }

    @Test
    func `accepts a required to-many that may be empty, as new or instead of an optional one`()
        throws
    {
        func library(_ relationships: RelationshipDescription...) -> [EntityDescription] {
            [
                EntityDescription("Book", relationships.map { .relationship($0) }),
                EntityDescription("Shelf"),
            ]
        }
        let optional = RelationshipDescription.toMany("shelves", "Shelf")
        var required = optional
        required.isOptional = false
        var bounded = required
        bounded.minimumCount = 1

        let added = try Self.verdict(library(), library(required))
        let tightened = try Self.verdict(library(optional), library(required))
        let loosened = try Self.verdict(library(bounded), library(required))
        let bound = try Self.verdict(library(required), library(bounded))

        #expect(added == InferenceVerdict())
        #expect(tightened == InferenceVerdict())
        #expect(loosened == InferenceVerdict())
        #expect(bound.isPossible)
        #expect(bound.uncheckedRules.map(\.property).first == "shelves")
    }

    @Test func `does not check a new required inverse`() throws {
        let before = EntityDescription("Book", [.toOne("shelf", "Shelf")])
        let after = EntityDescription("Book", [.toOne("shelf", "Shelf", inverse: "books")])
        var books = RelationshipDescription.toMany(
            "books", "Book", inverse: "shelf", isOptional: false)
        books.minimumCount = 1
        let shelf = EntityDescription("Shelf", [.relationship(books)])

        let verdict = try Self.verdict([before, EntityDescription("Shelf")], [after, shelf])

        #expect(verdict.isPossible)
        #expect(verdict.uncheckedRules.map(\.property) == ["books"])
    }
}

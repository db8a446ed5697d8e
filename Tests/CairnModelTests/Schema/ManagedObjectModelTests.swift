import CairnModel
import Testing

/// The results of compiling a model: numbers, slots, hierarchies and configurations.
@Suite struct `A compiled model` {
    private func model() throws -> ManagedObjectModel {
        var description = ModelDescription([
            EntityDescription("zebra"),
            EntityDescription("Beta", superentity: "alpha", [.attribute("b", .string)]),
            EntityDescription(
                "alpha",
                [
                    .attribute("z", .string), .attribute("B", .double),
                    .toMany("many", "zebra"), .toOne("one", "zebra"),
                ]),
            EntityDescription("gamma", superentity: "Beta", [.attribute("a", .string)]),
            EntityDescription("Delta", superentity: "alpha"),
            EntityDescription("Middle"),
        ])
        description.configurations = ["Some": ["zebra", "Beta"]]
        return try ManagedObjectModel(description)
    }

    @Test func `numbers roots without regard to case, each followed by its subentities`() throws {
        let model = try model()

        #expect(
            model.entities.map(\.name) == ["alpha", "Beta", "gamma", "Delta", "Middle", "zebra"])
        #expect(model.entities.map(\.number.rawValue) == [1, 2, 3, 4, 5, 6])
    }

    @Test func `numbers the subentities of an entity as one range`() throws {
        let model = try model()
        let alpha = try #require(model.entity(named: "alpha"))
        let beta = try #require(model.entity(named: "Beta"))

        #expect(alpha.hierarchy.map(\.name) == ["alpha", "Beta", "gamma", "Delta"])
        #expect(beta.hierarchy.map(\.name) == ["Beta", "gamma"])
        #expect(beta.rootEntity == alpha)
        #expect(beta.isKind(of: alpha))
        #expect(!alpha.isKind(of: beta))
    }

    @Test func `gives inherited properties the slots that they have in the superentity`() throws {
        let gamma = try #require(try model().entity(named: "gamma"))

        let slots = gamma.properties.compactMap { property in
            property.storage.rowSlot.map { "\(property.name)=\($0)" }
        }

        // Superentities come first, then names in the order of their code units: “B” before “one”, “one”
        // before “z”.
        #expect(slots == ["B=0", "one=1", "z=2", "b=3", "a=4"])
        #expect(gamma.relationship(named: "many")?.storage == .object(slot: 0))
        #expect(gamma.rowSlotCount == 5)
        #expect(gamma.objectSlotCount == 1)
    }

    @Test func `finds entities by exact name and by number`() throws {
        let model = try model()

        #expect(model.entity(named: "ALPHA") == nil)
        #expect(model.entity(numbered: EntityNumber(6))?.name == "zebra")
        #expect(model.entity(numbered: EntityNumber(0)) == nil)
        #expect(model.entity(numbered: EntityNumber(7)) == nil)
    }

    @Test func `lists the entities of a configuration and refuses an unknown one`() throws {
        let model = try model()

        let names = try model.entities(forConfiguration: "Some").map(\.name)

        #expect(names == ["Beta", "zebra"])
        #expect(throws: ModelError.unknownConfiguration("Other", known: ["Some"])) {
            try model.entities(forConfiguration: "Other")
        }
    }

    @Test func `keeps an inheritance tree of 200 levels`() throws {
        let entities = (0..<200).map { number in
            EntityDescription(
                "E\(number)", superentity: number == 0 ? nil : "E\(number - 1)",
                [.attribute("a\(number)", .boolean)])
        }

        let model = try ManagedObjectModel(entities)

        #expect(model.entities.first?.hierarchy.count == 200)
        #expect(model.entities.last?.hierarchy.count == 1)
        #expect(model.entities.last?.rowSlotCount == 200)
    }
}

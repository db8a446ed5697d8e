import CairnModel
import Testing

/// The checker finds all contradictions in a model, and reports all of them at once.
@Suite struct `Checking a model` {
    private typealias Kind = ModelProblem.Kind

    private func problems(
        _ entities: [EntityDescription], composites: [CompositeDescription] = [],
        change: (inout ModelDescription) -> Void = { _ in }
    ) -> [ModelProblem] {
        var description = ModelDescription(entities)
        description.composites = composites
        change(&description)
        do throws(ModelError) {
            _ = try ManagedObjectModel(description)
            return []
        } catch {
            guard case .invalid(let problems) = error else { return [] }
            return problems
        }
    }

    private func kinds(_ entities: [EntityDescription]) -> [Kind] {
        problems(entities).map(\.kind)
    }

    @Test func `accepts a model without entities, as Core Data does`() throws {
        let model = try ManagedObjectModel([])

        #expect(model.entities.isEmpty)
        #expect(model.entity(numbered: EntityNumber(1)) == nil)
        #expect(model.entity(named: "A") == nil)
    }

    @Test func `refuses two entities with the same name`() {
        #expect(kinds([EntityDescription("A"), EntityDescription("A")]) == [.duplicateEntity])
    }

    @Test func `refuses names that no store can have`() {
        let entity = EntityDescription("A\0B", [.attribute("", .string), .attribute("x\0", .date)])

        #expect(kinds([entity]) == [.unusableName, .unusableName, .emptyName])
    }

    @Test func `accepts names that differ only in case`() {
        #expect(kinds([EntityDescription("A"), EntityDescription("a")]) == [])
    }

    @Test func `refuses a relationship without a destination`() {
        let entity = EntityDescription("A", [.toOne("next", ""), .toOne("other", "B")])

        #expect(kinds([entity]) == [.unknownDestination, .unknownDestination])
    }

    @Test func `refuses an inverse that does not exist or has another destination`() {
        let a = EntityDescription(
            "A", [.toOne("missing", "B", inverse: "none"), .toOne("b", "B", inverse: "c")])
        let b = EntityDescription("B", [.toMany("c", "C", inverse: "b")])
        let c = EntityDescription("C", [.toOne("b", "B", inverse: "c")])

        #expect(kinds([a, b, c]) == [.unknownInverse, .inverseMismatch])
    }

    @Test func `refuses a reference whose key is not a unique attribute of the same type`() {
        var target = EntityDescription(
            "Target", [.attribute("code", .string), .attribute("name", .string)])
        target.uniquenessConstraints = [["code"], ["name", "code"]]
        let heir = EntityDescription("Heir", superentity: "Target")
        func details(_ property: PropertyDescription) -> [String] {
            problems([target, heir, EntityDescription("A", [property])]).map(\.detail)
        }
        var transient = AttributeDescription("a", .string)
        transient.isTransient = true
        transient.userInfo = ["CairnReference": "Target.code"]

        #expect(details(.reference("a", .string, to: "Target", by: "code")) == [])
        #expect(details(.reference("a", .string, to: "Heir", by: "code")) == [])
        #expect(details(.reference("a", to: "Heir")) == [])
        for property in [
            PropertyDescription.reference("a", .string, to: "Target", by: "name"),
            .reference("a", .string, to: "Target", by: "none"),
            .reference("a", .integer64, to: "Target", by: "code"),
        ] {
            #expect(details(property).count == 1 && details(property)[0].contains("is unique"))
        }
        #expect(
            details(.reference("a", .string, to: "None", by: "code")) == [
                "the reference leads to the unknown entity “None”"
            ])
        #expect(details(.reference("a", .string, to: "Target"))[0].contains("URIs"))
        #expect(details(.attribute(transient))[0].contains("transient"))
    }

    @Test func `has the hash of an attribute for a reference`() throws {
        func hash(_ property: PropertyDescription) throws -> VersionHash? {
            var target = EntityDescription("Target", [.attribute("code", .string)])
            target.uniquenessConstraints = [["code"]]
            return try ManagedObjectModel([target, EntityDescription("A", [property])])
                .entity(named: "A")?.versionHash
        }

        let hashes = try [
            hash(.reference("a", .string, to: "Target", by: "code")),
            hash(.attribute("a", .string)),
        ]

        #expect(hashes[0] == hashes[1])
    }

    @Test func `refuses an attribute that is derived over a reference`() {
        var target = EntityDescription(
            "Target", [.attribute("code", .string), .attribute("name", .string)])
        target.uniquenessConstraints = [["code"]]
        var derived = AttributeDescription("name", .string)
        derived.derivation = Derivation(expression: "target.name")
        let owner = EntityDescription(
            "A", [.reference("target", .string, to: "Target", by: "code"), .attribute(derived)])

        #expect(problems([target, owner]).map(\.kind) == [.invalidDerivation])
    }

    @Test func `accepts an inverse that is declared in the destination's superentity`() {
        let person = EntityDescription("Person", [.toMany("cars", "Car", inverse: "owner")])
        let driver = EntityDescription("Driver", superentity: "Person")
        let car = EntityDescription("Car", [.toOne("owner", "Driver", inverse: "cars")])

        #expect(kinds([person, driver, car]) == [])
    }

    @Test func `refuses inheritance that is cyclic or from an unknown entity`() {
        let a = EntityDescription("A", superentity: "B")
        let b = EntityDescription("B", superentity: "A")
        let c = EntityDescription("C", superentity: "Missing")

        #expect(kinds([a, b, c]) == [.inheritanceCycle, .inheritanceCycle, .unknownSuperentity])
    }

    @Test func `refuses a property that is declared twice, including inherited ones`() {
        let a = EntityDescription("A", [.attribute("x", .string), .attribute("x", .double)])
        let b = EntityDescription("B", superentity: "A", [.attribute("x", .string)])

        #expect(kinds([a, b]) == [.duplicateProperty, .duplicateProperty])
    }

    @Test func `refuses a default of another type or out of the type's range`() {
        let entity = EntityDescription(
            "A",
            [
                .attribute("text", .string, isOptional: true, defaultValue: 1),
                .attribute("small", .integer16, isOptional: true, defaultValue: 40_000),
                .attribute("fits", .integer16, isOptional: true, defaultValue: 30_000),
            ])

        #expect(kinds([entity]) == [.defaultTypeMismatch, .defaultTypeMismatch])
    }

    @Test func `refuses counts that no relationship can have`() {
        var wide = RelationshipDescription.toOne("wide", "A")
        wide.maximumCount = 2
        var crossed = RelationshipDescription.toMany("crossed", "A")
        (crossed.minimumCount, crossed.maximumCount) = (3, 2)

        #expect(
            kinds([EntityDescription("A", [.relationship(wide), .relationship(crossed)])])
                == [.invalidCounts, .invalidCounts])
    }

    @Test func `refuses constraints and indexes on unknown properties`() {
        var entity = EntityDescription("A", [.attribute("x", .string)])
        entity.uniquenessConstraints = [["x"], ["y"]]
        entity.fetchIndexes = [FetchIndexDescription("i", elements: [.init("z")])]

        #expect(kinds([entity]) == [.unknownConstraintProperty, .unknownIndexProperty])
    }

    @Test func `refuses a constraint that names nothing`() {
        var entity = EntityDescription("A", [.attribute("x", .string)])
        entity.uniquenessConstraints = [[], ["x"]]

        #expect(kinds([entity]) == [.emptyConstraint])
    }

    @Test func `refuses a regular expression that does not compile`() {
        let entity = EntityDescription(
            "A",
            [
                .attribute(
                    "x", .string, isOptional: true,
                    validationRules: [
                        .matches(regularExpression: "a+"), .matches(regularExpression: "a("),
                    ])
            ])

        #expect(kinds([entity]) == [.invalidRegularExpression])
    }

    @Test(arguments: ["x ==", "missing.@count", "bs", "bs.@sum.name", "frobnicate(x)", "a("])
    func `refuses a derivation that no store can compute`(_ expression: String) {
        var derived = AttributeDescription("d", .integer64)
        derived.derivation = Derivation(expression: expression)
        let a = EntityDescription(
            "A",
            [.attribute(derived), .attribute("x", .string), .toMany("bs", "B", inverse: "a")])
        let b = EntityDescription(
            "B", [.attribute("name", .string), .toOne("a", "A", inverse: "bs")])

        let found = problems([a, b])

        #expect(found.map(\.kind) == [.invalidDerivation])
        #expect(found.first?.description.hasPrefix("A.d: it cannot be derived: ") == true)
    }

    @Test func `refuses an attribute that is derived and transient`() {
        var derived = AttributeDescription("d", .string)
        derived.derivation = Derivation(expression: "canonical:(x)")
        derived.isTransient = true

        #expect(
            kinds([EntityDescription("A", [.attribute(derived), .attribute("x", .string)])])
                == [.invalidDerivation])
    }

    @Test func `refuses composites that are missing, duplicated, or contain themselves`() {
        var missing = AttributeDescription("place", .composite)
        missing.compositeName = "Nowhere"
        var inner = AttributeDescription("inner", .composite)
        inner.compositeName = "Loop"

        let found = problems(
            [EntityDescription("A", [.attribute(missing)])],
            composites: [
                CompositeDescription("Loop", [inner]), CompositeDescription("Twice", []),
                CompositeDescription("Twice", []),
            ])

        #expect(found.map(\.kind) == [.duplicateComposite, .unknownComposite, .compositeCycle])
    }

    @Test func `refuses configurations and templates with unknown entities`() {
        let found = problems([EntityDescription("A")]) { description in
            description.configurations = ["Cloud": ["A", "B"]]
            description.fetchRequestTemplates = ["all": FetchRequestTemplate(entity: "C")]
        }

        #expect(found.map(\.kind) == [.unknownConfigurationEntity, .unknownTemplateEntity])
    }

    @Test func `names the location of each problem`() {
        let found = problems([EntityDescription("A", [.toOne("next", "B")])])

        #expect(found.map(\.description) == ["A.next: its destination “B” is unknown"])
    }
}

import CairnModel
import Foundation
import Testing

@testable import CairnModelArchive

/// Models made by Core Data's tools that contain information which Cairn cannot validate. They can be loaded,
/// and writing them preserves this information.
@Suite struct `A model that Core Data's tools created` {
    /// Returns an archive of a description that Cairn's compiler may reject.
    private func archive(
        _ entity: EntityDescription, change: (inout ModelDescription) -> Void = { _ in }
    ) throws -> [UInt8] {
        var description = ModelDescription([entity])
        change(&description)
        return ModelArchive.encode(try ManagedObjectModel(description))
    }

    @Test(arguments: [
        "SELF", "entity", "canonical:(name)", "length:(name)", "name.length", "size + 1",
        "expression7", "",
    ])
    func `keeps an index over an expression`(_ text: String) throws {
        var entity = EntityDescription(
            "A", [.attribute("name", .string), .attribute("size", .integer64)])
        entity.fetchIndexes = [
            FetchIndexDescription(
                "i",
                elements: [
                    .init("name"), .init(.expression(text), isAscending: false),
                ])
        ]

        let once = try ManagedObjectModel(ModelArchive.decode(archive(entity)))
        let cached = try ManagedObjectModel(ModelCache.decode(ModelCache.encode(once)))

        #expect(once.description.entities == [entity])
        #expect(cached.description.entities == [entity])
    }

    @Test func `keeps names in older indexes that are not properties`() throws {
        var entity = EntityDescription("A", [.attribute("name", .string)])
        entity.compoundIndexes = [["name", "self"], ["entity"], ["expression1"]]

        let model = try ManagedObjectModel(ModelArchive.decode(archive(entity)))

        #expect(model.description.entities == [entity])
    }

    @Test func `loads with an index element that names an unknown property`() throws {
        var description = ModelDescription([EntityDescription("A", [.attribute("x", .string)])])
        description.entities[0].fetchIndexes = [
            FetchIndexDescription("i", elements: [.init("entity"), .init("Self"), .init("x")])
        ]

        let model = try ManagedObjectModel(description.forReading())

        #expect(
            model.description.entities[0].fetchIndexes[0].elements.map(\.target)
                == [.expression("entity"), .expression("SELF"), .property("x")])
    }

    @Test func `loads with a pattern that does not compile, which no value matches`() throws {
        var text = AttributeDescription("text", .string)
        text.validationRules = [.matches(regularExpression: "a)(b")]
        let description = ModelDescription([EntityDescription("A", [.attribute(text)])])

        let model = try ManagedObjectModel(description.forReading())

        guard
            case .predicate? = model.entity(named: "A")?.attribute(named: "text")?
                .description.validationRules.first
        else {
            Issue.record("no rule")
            return
        }
    }

    @Test func `loads with a derivation that cannot be computed`() throws {
        var derived = AttributeDescription("derived", .string)
        derived.derivation = Derivation(expression: "nowhere.name")
        let description = ModelDescription([EntityDescription("A", [.attribute(derived)])])

        let model = try ManagedObjectModel(description.forReading())

        #expect(model.entity(named: "A")?.attribute(named: "derived")?.isDerived == true)
    }

    @Test func `loads with requests and configurations that name an unknown entity`() throws {
        var description = ModelDescription([
            EntityDescription(
                "A",
                [.fetchedProperty(FetchedPropertyDescription("f", .init(entity: "Gone")))])
        ])
        description.configurations = ["All": ["A", "Gone"]]
        description.fetchRequestTemplates = ["gone": .init(entity: "Gone")]

        let model = try ManagedObjectModel(description.forReading())

        #expect(model.description.configurations == ["All": ["A"]])
        #expect(model.description.fetchRequestTemplates.isEmpty)
    }
}

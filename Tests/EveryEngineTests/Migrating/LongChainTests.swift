import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

/// Stores of each version of a long chain are migrated to its newest version, at once and version by version.
///
/// `script/verify --long` begins with every version on every engine; otherwise it is a sample.
@Suite struct `A long chain of versions` {
    /// Calls a closure for engines and for the versions that a migration begins with.
    private static func forEachStart(
        _ history: ModelHistory, _ body: (StoreType, _ start: Int, _ words: String) throws -> Void
    ) throws {
        for (number, type) in everyFileEngine.enumerated() {
            for start in history.versions.indices.dropLast()
            where TestSetting.isLong || start % everyFileEngine.count == number {
                try body(type, start, "\(type), from \(history.versions[start].name)")
            }
        }
    }

    /// Migrates a store with random content from a version to the newest one, over other versions in turn.
    private static func migrate(
        _ type: StoreType, _ history: ModelHistory, through versions: [Int]
    ) throws -> StoreImage {
        let models = versions.map { history.versions[$0].model }
        let trial = try MigrationTrial(type, from: models[0], to: models[models.count - 1])
        _ = try trial.make()
        for model in models.dropFirst() {
            try MigrationManager(destinationModel: model, history: history)
                .migrateStore(at: trial.url, ofType: type)
        }
        return try trial.image()
    }

    private static func compare(_ history: ModelHistory) throws {
        let newest = history.versions.count - 1
        var migratedCount = 0
        try forEachStart(history) { type, start, words in
            let direct = Result { try migrate(type, history, through: [start, newest]) }
            let stepwise = Result { try migrate(type, history, through: Array(start...newest)) }
            switch (direct, stepwise) {
            case (.success(let image), .success(let expected)):
                #expect(image.differences(from: expected) == [], "\(words)")
                #expect(!image.objects.isEmpty, "\(words)")
                migratedCount += 1
            case (
                .failure(GraphError.store(.migrationRefused)),
                .failure(GraphError.store(.migrationRefused))
            ):
                // A random object has no value for a required property.
                return
            default: Issue.record("\(words): \(direct), but version by version \(stepwise)")
            }
        }
        #expect(migratedCount > 0)
    }

    @Test func `of twelve versions with every kind of step gives the values of each step`() throws {
        let history = try TwelveVersions.history()

        let plan = try MigrationRoute(
            from: history.versions[0].model, to: history.versions[11].model, in: history)
        try Self.compare(history)

        #expect(plan.stages.count(where: { $0.mapping != nil }) == 2)
        #expect(plan.stages.count(where: { !$0.code.isEmpty }) == 2)
        #expect(plan.stages.count > 6)
    }

    /// The chains of the corpus with the most versions. One of them has mapping models and a policy.
    @Test(
        .enabled(if: Corpus.isThere),
        arguments: [
            "corpus/richardpiazza__XCServerCoreData/Resources/XCServerCoreData.xcdatamodeld",
            "corpus/duckduckgo__BrowserServicesKit/Sources/Bookmarks/BookmarksModel.xcdatamodeld",
        ])
    func `of a real model gives the values of each step`(_ path: String) throws {
        let location = Corpus.root.deletingLastPathComponent().appending(path: path)
        var history = try ModelHistory(contentsOf: location)
        history.register(LenientPolicy.self, as: "IntegrationStringToDateMigrationPolicy")

        #expect(history.versions.count > 5)
        try Self.compare(history)
    }
}

/// Takes over the values whose types are equal. Random transformable values are no archives.
private final class LenientPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        let object = try manager.destinationContext.insertNewObject(
            forEntityName: mapping.destinationEntityName ?? "")
        for attribute in object.entity.attributes
        where attribute.type != .transformable
            && source.entity.attribute(named: attribute.name)?.type == attribute.type
        {
            try object.setValue(source.value(forKey: attribute.name), forKey: attribute.name)
        }
        manager.associate(sourceInstance: source, withDestinationInstance: object, for: mapping)
    }
}

/// A model with twelve versions. There are inferred steps, code, mapping models, a policy and a stage.
private enum TwelveVersions {
    static func history() throws -> ModelHistory {
        let models = try versions.map { try ManagedObjectModel($0) }
        var history = ModelHistory(
            versions: models.enumerated().map { .init(name: "\($0.offset + 1)", model: $0.element) }
        )
        history.migrate("Person", to: models[4]) { old, new in
            let text = try old.value(forKey: "born") as? String ?? ""
            let born = Date(timeIntervalSinceReferenceDate: Double(text.utf8.count))
            try new.setValue(born, forKey: "born")
        }
        history.add(
            try customers(from: "Person", "pets", animalsFrom: "Pet", policy: nil),
            named: "Customers",
            from: models[5], to: models[6])
        history.add(
            try customers(from: "Customer", "animals", animalsFrom: "Animal", policy: "NotePolicy"),
            named: "Notes", from: models[7], to: models[8])
        history.register(NotePolicy.self, as: "NotePolicy")
        history.addStage(from: models[8], to: models[9]) { context in
            let request = try FetchRequest<ManagedObject>("Customer", where: "email == nil")
            for customer in try context.fetch(request) {
                try customer.setValue("none", forKey: "email")
            }
        }
        return history
    }

    private static func customers(
        from person: String, _ pets: String, animalsFrom pet: String, policy: String?
    ) throws -> MappingModel {
        let successors = try FetchExpression(
            format: """
                FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", \
                "Animals", $source.\(pets))
                """)
        return MappingModel([
            EntityMapping(
                "Customers", from: person, to: "Customer",
                attributes: try ["fullName", "age", "born", "email"].map {
                    PropertyMapping($0, try FetchExpression(format: "$source.\($0)"))
                }, relationships: [PropertyMapping("animals", successors)], policy: policy),
            EntityMapping(
                "Animals", from: pet, to: "Animal",
                attributes: [PropertyMapping("name", try FetchExpression(format: "$source.name"))]),
        ])
    }

    private static let versions: [[EntityDescription]] = {
        let pet = EntityDescription(
            "Pet", [.attribute("name", .string), .toOne("owner", "Person", inverse: "pets")])
        let pets = PropertyDescription.toMany("pets", "Pet", inverse: "owner")
        let (email, text) = (
            PropertyDescription.attribute("email", .string),
            PropertyDescription.attribute("born", .string)
        )
        let fullName = PropertyDescription.attribute(.renamed("fullName", .string, from: "name"))
        func person(_ properties: PropertyDescription...) -> [EntityDescription] {
            [EntityDescription("Person", [pets] + properties), pet]
        }
        var owners = RelationshipDescription.toMany("owners", "Person", inverse: "pets")
        owners.renamingIdentifier = "owner"
        let date = PropertyDescription.attribute("born", .date)
        func age(_ type: AttributeType) -> PropertyDescription { .attribute("age", type) }
        func customer(
            _ properties: PropertyDescription..., besides others: [EntityDescription] = []
        ) -> [EntityDescription] {
            [
                EntityDescription(
                    "Customer",
                    [.attribute("fullName", .string), date]
                        + [.toMany("animals", "Animal", inverse: "keepers")] + properties),
                EntityDescription(
                    "Animal",
                    [
                        .attribute("name", .string),
                        .toMany("keepers", "Customer", inverse: "animals"),
                    ]),
            ] + others
        }
        let level = PropertyDescription.attribute(
            "level", .integer16, isOptional: false, defaultValue: .integer(1))
        let note = PropertyDescription.attribute("note", .string)
        let required = PropertyDescription.attribute("email", .string, isOptional: false)
        let memo = EntityDescription("Memo", [.attribute("text", .string)])
        return [
            person(.attribute("name", .string), age(.integer16), text),
            person(.attribute("name", .string), age(.integer16), text, email),
            person(fullName, age(.integer16), text, email),
            person(fullName, age(.integer32), text, email),
            person(fullName, age(.integer32), date, email),
            [
                EntityDescription(
                    "Person",
                    [
                        .toMany("pets", "Pet", inverse: "owners"), fullName, age(.integer32), date,
                        email,
                    ]),
                EntityDescription("Pet", [.attribute("name", .string), .relationship(owners)]),
            ],
            customer(age(.integer32), email), customer(age(.integer32), email, level),
            customer(age(.integer32), email, level, note),
            customer(age(.integer32), required, level, note),
            customer(required, level, note, besides: [memo]),
            customer(age(.integer64), required, level, note, besides: [memo]),
        ]
    }()
}

/// Notes the name of a customer.
private final class NotePolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [source])
        for customer in made {
            try customer.setValue(source.value(forKey: "fullName"), forKey: "note")
        }
    }
}

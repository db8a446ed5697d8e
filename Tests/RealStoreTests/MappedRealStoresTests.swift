import Cairn
import CairnTestSupport
import Foundation
import Testing

/// Real stores are migrated with the mapping models of their apps. The policies of the apps are written again.
@Suite(.enabled(if: Corpus.isThere)) struct `Real stores with mapping models` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let parent = Corpus.root.deletingLastPathComponent()

    /// Returns the versions and mapping models of an app, with its policies.
    private func history(
        _ model: String, mappings: String, _ policies: [(EntityMigrationPolicy.Type, String)] = []
    ) throws -> ModelHistory {
        var history = try ModelHistory(
            contentsOf: Self.parent.appending(path: model),
            mappingModelsIn: [Self.parent.appending(path: mappings)])
        for (policy, name) in policies { history.register(policy, as: name) }
        return history
    }

    /// Migrates a copy of a store to a version, and returns the copy with the number of stages.
    private func migrate(
        _ path: String, to version: String, _ history: ModelHistory,
        as type: StoreType = .sqlite
    ) throws -> (url: URL, stageCount: Int, model: ManagedObjectModel) {
        let url = try Corpus.copy(path, into: folder.url)
        let model = try #require(history.versions.first { $0.name == version }).model
        let manager = MigrationManager(destinationModel: model, history: history)
        if type == .sqlite {
            let plan = try manager.migrateStore(at: url, ofType: .sqlite)
            return (url, plan.stages.count, model)
        }
        let copy = folder.file("copy.db")
        let plan = try manager.plan(forStoreAt: url, ofType: .sqlite)
        try manager.migrateStore(
            from: url, sourceType: .sqlite, toDestinationURL: copy, destinationType: type)
        return (copy, plan.stages.count, model)
    }

    /// Calls a closure with a context of a store.
    private func read<Result: Sendable>(
        _ url: URL, _ model: ManagedObjectModel, _ type: StoreType = .sqlite,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: type, at: url)
        defer { try? coordinator.remove(store) }
        return try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    // MARK: All mapping models

    @Test func `have mapping models that fit their versions`() throws {
        let files = Corpus.all { ["cdm", "xcmappingmodel"].contains($0.pathExtension) }
        var fittingCount = 0
        for file in files {
            let name = file.deletingPathExtension().lastPathComponent
            let root = file.pathComponents.prefix(Self.parent.pathComponents.count + 2)
            let histories = try Corpus.all { url in
                url.pathExtension == "xcdatamodeld" && url.pathComponents.starts(with: root)
            }.map {
                try ModelHistory(
                    contentsOf: $0, mappingModelsIn: [file.deletingLastPathComponent()])
            }
            let fitting = histories.filter { $0.mappings.contains { $0.name == name } }
            let reasons = histories.flatMap(\.unusedMappings).filter {
                $0.entity.contains("“\(name)”")
            }
            let mistakes = fitting.flatMap { HistoryLinter($0).findings() }.filter {
                $0.reason.hasSuffix("(mapping model “\(name)”)")
            }
            #expect(!fitting.isEmpty || !reasons.isEmpty, "\(file.path)")
            #expect(mistakes == [], "\(file.path)")
            if !fitting.isEmpty { fittingCount += 1 }
        }
        print("\(files.count) mapping models, \(fittingCount) of them fit two versions")
        #expect(files.count > 13)
        #expect(fittingCount > 11)
    }

    @Test func `have a compiled mapping model that equals its source`() throws {
        let models = try ["Fixtures", "MappingModels"].map { folder in
            let mappings = try history(
                "\(Self.cars)/SampleModel.xcdatamodeld", mappings: "\(Self.cars)/\(folder)"
            ).mappings
            #expect(mappings.count == 1)
            return mappings.flatMap(\.model.entityMappings).map(Self.lines).sorted()
        }

        #expect(models[0] == models[1])
        #expect(models[0].count > 3)
    }

    /// Returns an entity mapping as text. The order of properties has no meaning.
    private static func lines(of mapping: EntityMapping) -> String {
        func text(_ properties: [PropertyMapping]) -> String {
            properties.map {
                "  \($0.name) = \($0.valueExpression.map { "\($0)" } ?? "none") \($0.userInfo)"
            }.sorted().joined(separator: "\n")
        }
        return "\(mapping.name): \(mapping.sourceEntityName ?? "none")"
            + " → \(mapping.destinationEntityName ?? "none")"
            + " \(mapping.entityMigrationPolicyClassName ?? "none") \(mapping.userInfo)\n"
            + text(mapping.attributeMappings) + "\n" + text(mapping.relationshipMappings)
    }

    // MARK: objcio: moods on continents

    private static let moody = "corpus/objcio__core-data/Migrations"

    private static let starts = [
        ("Moody", 5), ("Moody 2", 4), ("Moody 3", 3), ("Moody 4", 2), ("Moody 5", 1),
    ]

    @Test(arguments: starts, [StoreType.sqlite, .lmdb, .binary, .xml])
    func `reach the newest version from each version`(
        _ start: (version: String, stageCount: Int), _ type: StoreType
    ) throws {
        let history = try history(
            "\(Self.moody)/Migrations/Moody.xcdatamodeld", mappings: "\(Self.moody)/Migrations",
            [(ContinentPolicy.self, "Migrations.Country5ToCountry6Policy")])

        let (url, stageCount, model) = try migrate(
            "\(Self.moody)/MigrationsTests/\(start.version).moody", to: "Moody 6", history, as: type
        )

        let lines = try read(url, model, type) { context in
            var request = FetchRequest<ManagedObject>("Country")
            request.sortDescriptors = [FetchSortDescriptor("numericISO3166Code")]
            return try context.fetch(request).map { country in
                let code = try country.value(forKey: "numericISO3166Code") as? Int64 ?? 0
                let continent = try country.value(forKeyPath: "continent.numericISO3166Code")
                let moods = try country.value(forKeyPath: "moods.@count") as? Int64 ?? 0
                return "\(code) in \(continent as? Int64 ?? 0): \(moods)"
            }
        }
        #expect(stageCount == start.stageCount)
        // Read with SQL from the stores of the versions 1 to 5.
        #expect(lines == ["231 in 10004: 1", "704 in 10005: 1", "710 in 10004: 2"])
    }

    // MARK: wibosco: the text of a post becomes a section

    private static let posts = "corpus/wibosco__CoreDataMigrationRevised-Example"

    @Test(arguments: [1, 2])
    func `split posts into sections`(_ version: Int) throws {
        let history = try history(
            "\(Self.posts)/CoreDataMigration-Example/CoreData/Model/CoreDataMigration_Example.xcdatamodeld",
            mappings: "\(Self.posts)/CoreDataMigration-Example/CoreData/Migration/Mappings",
            // The name of the class as Swift mangles it.
            [(SectionPolicy.self, "_TtC25CoreDataMigration_Example27Post2ToPost3MigrationPolicy")])

        let (url, _, model) = try migrate(
            "\(Self.posts)/CoreDataMigration-ExampleTests/Resources/SQLite"
                + "/CoreDataMigration_Example_\(version).sqlite",
            to: "CoreDataMigration_Example 4", history)

        let texts = try read(url, model) { context in
            var request = FetchRequest<ManagedObject>("Post")
            request.sortDescriptors = [FetchSortDescriptor("date")]
            return try context.fetch(request).map { post in
                let sections = try post.objects("sections").map { section in
                    let body = try section.value(forKey: "body") as? String ?? ""
                    let title = try section.value(forKey: "title") as? String ?? ""
                    return (title, body)
                }
                #expect(try post.value(forKey: "softDeleted") as? Bool == false)
                #expect(sections.count == 1)
                return sections.first.map { "\($0.0) \($0.1.unicodeScalars.count)" } ?? ""
            }
        }
        // The beginnings and lengths of the texts, read with SQL.
        #expect(
            texts == [
                "Post... 3928", "Now ... 3515", "Anot... 3536", "Brin... 4022", "Conc... 4096",
                "Saw ... 3354", "We d... 3777", "Gay ... 3973", "no p... 3781", "Test... 9",
            ])
    }

    // MARK: XCServerCoreData: texts become dates

    @Test func `convert texts to dates over all versions`() throws {
        let root = "corpus/richardpiazza__XCServerCoreData"
        let history = try history(
            "\(root)/Resources/XCServerCoreData.xcdatamodeld", mappings: "\(root)/Resources",
            [(DatePolicy.self, "IntegrationStringToDateMigrationPolicy")])
        let path = "\(root)/Tests/XCServerCoreData_1.2.0.sqlite"
        let counts = try #require(Corpus.stores[path]?.counts)

        let (url, stageCount, model) = try migrate(path, to: "XCServerCoreData2.0.3", history)

        let found = try read(url, model) { context in
            var found: [String: Int] = [:]
            for name in counts.keys where context.managedObjectModel.entity(named: name) != nil {
                found[name] = try context.count(for: FetchRequest<ManagedObject>(name))
            }
            return found
        }
        let first = try read(url, model) { context in
            // 2017-06-25T13:24:06.933Z
            let time = Date(timeIntervalSince1970: 1_498_397_046.933)
            let request = try FetchRequest<ManagedObject>(
                "Integration", where: "startedTime > %@ AND startedTime < %@",
                time.addingTimeInterval(-0.001), time.addingTimeInterval(0.001))
            return try context.fetch(request).map { integration in
                let devices = try integration.value(forKeyPath: "testedDevices.@count") as? Int64
                let bot = try integration.value(forKeyPath: "bot.identifier") as? String
                return "\(devices ?? -1) \(bot != nil)"
            }
        }
        #expect(stageCount == 4)
        #expect(found == counts.filter { found[$0.key] != nil })
        #expect(found.count > 20)
        #expect(first == ["15 true"])
    }

    // MARK: CoreDataPlus: makers become objects

    private static let cars = "corpus/alemar11__CoreDataPlus/Tests/Resources/SampleModel"

    @Test(arguments: ["Fixtures", "MappingModels"])
    func `create makers from a compiled mapping model or from its source`(
        _ mappings: String
    ) throws {
        let history = try history(
            "\(Self.cars)/SampleModel.xcdatamodeld", mappings: "\(Self.cars)/\(mappings)",
            [(MakerPolicy.self, "CoreDataPlusTests.V2to3MakerPolicy")])

        let (url, _, model) = try migrate(
            "\(Self.cars)/Fixtures/SampleModel_V2.sqlite", to: "SampleModel3", history)

        let text = try read(url, model) { context in
            let cars = try context.fetch(FetchRequest<ManagedObject>("Car"))
            var entities: [String: Int] = [:]
            for car in cars {
                entities[car.entity.name, default: 0] += 1
                let owner = try car.value(forKey: "owner") as? ManagedObject
                let previous = Array(try car.objects("previousOwners"))
                #expect(previous == (owner.map { [$0] } ?? []))
            }
            let makers = try context.fetch(FetchRequest<ManagedObject>("Maker")).map { maker in
                "\(try maker.value(forKey: "name") as? String ?? "")"
                    + " \(try maker.value(forKeyPath: "cars.@count") as? Int64 ?? 0)"
            }
            let persons = try context.count(for: FetchRequest<ManagedObject>("Person"))
            return entities.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                + makers.sorted() + ["\(persons) persons"]
        }
        #expect(text == Self.carsAndMakers)
    }

    /// Counted with SQL in the store of version 2.
    private static let carsAndMakers = [
        "Car 115", "LuxuryCar 5", "SportCar 5", "Alfa Romeo 3", "BMW 2", "FIAT 103", "Kia 4",
        "Lamborghini 2", "Maserati 2", "McLaren 2", "Mercedes-Benz 2", "Renault 3", "Volkswagen 2",
        "20 persons",
    ]
}

// MARK: - Policies

/// Creates the continents of countries, as the app's policy does.
private final class ContinentPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        guard let code = try source.value(forKey: "isoContinent") as? Int64,
            let country = manager.destinationInstances(
                forEntityMappingName: mapping.name, sourceInstances: [source]
            ).first
        else { return }
        let request = try FetchRequest<ManagedObject>(
            "Continent", where: "numericISO3166Code == %d", Int(code))
        let known: [ManagedObject] = try manager.destinationContext.fetch(request)
        let continent =
            try known.first
            ?? manager.destinationContext.insertNewObject(forEntityName: "Continent")
        try continent.setValue(code, forKey: "numericISO3166Code")
        try country.setValue(continent, forKey: "continent")
    }
}

/// Moves the text of a post to a section.
private final class SectionPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        guard
            let post = manager.destinationInstances(
                forEntityMappingName: mapping.name, sourceInstances: [source]
            ).first
        else { return }
        let body = try source.value(forKey: "content") as? String ?? ""
        let section = try manager.destinationContext.insertNewObject(forEntityName: "Section")
        try section.setValue(body, forKey: "body")
        try section.setValue(body.prefix(4) + "...", forKey: "title")
        try post.setValue([section], forKey: "sections")
    }
}

/// Creates an integration without its expressions, because three of its texts become dates.
private final class DatePolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        let integration = try manager.destinationContext.insertNewObject(
            forEntityName: "Integration")
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for attribute in integration.entity.attributes {
            let name = attribute.name == "successStreak" ? "success_streak" : attribute.name
            guard source.entity.attribute(named: name) != nil,
                let value = try source.value(forKey: name)
            else { continue }
            if attribute.type == .date, let text = value as? String {
                try integration.setValue(style.parse(text), forKey: attribute.name)
            } else {
                try integration.setValue(value, forKey: attribute.name)
            }
        }
        manager.associate(
            sourceInstance: source, withDestinationInstance: integration, for: mapping)
    }
}

/// Finds or creates the maker of a car.
private final class MakerPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        guard let name = try source.value(forKey: "maker") as? String,
            let car = manager.destinationInstances(
                forEntityMappingName: mapping.name, sourceInstances: [source]
            ).first
        else { return }
        var makers = manager.userInfo["makers"] as? [String: ManagedObject] ?? [:]
        let maker =
            try makers[name] ?? manager.destinationContext.insertNewObject(forEntityName: "Maker")
        makers[name] = maker
        manager.userInfo["makers"] = makers
        try maker.setValue(name, forKey: "name")
        try car.setValue(maker, forKey: "createdBy")
    }
}

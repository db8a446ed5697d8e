import Cairn
import CairnStore
import CairnTestSupport
import GraphSupport
import MigrationSupport
import Foundation
import MigrationSupport
import Testing

/// Migrations that a program starts explicitly.
@Suite struct `Migration manager` {
    /// Returns a migration that requires a copy on every engine.
    private func trial(_ type: StoreType) throws -> MigrationTrial {
        let change = try #require(
            ChangeCase.all.first { $0.testDescription == "to-one becomes to-many, in an order" })
        return try MigrationTrial(type, from: change.old, to: change.new)
    }

    @Test(arguments: everyFileEngine)
    func `leaves the store unchanged after a plan or a rehearsal`(_ type: StoreType) throws {
        let trial = try trial(type)
        let image = try trial.make()
        let before = try Data(contentsOf: trial.url)
        let manager = MigrationManager(destinationModel: trial.new)

        let plan = try manager.plan(forStoreAt: trial.url, ofType: type)
        let rehearsed = try manager.rehearseMigration(ofStoreAt: trial.url, ofType: type)

        #expect(plan.isNeeded && rehearsed.isNeeded)
        #expect(plan.description.contains("Book: relationship author is now to-many"))
        #expect(plan.neededByteCount > Int64(before.count))
        #expect(try Data(contentsOf: trial.url) == before)
        let store = try trial.open(trial.old)
        defer { try? store.close() }
        #expect(try StoreImage(store) == image)
    }

    @Test(arguments: everyFileEngine)
    func `keeps the old store as a backup`(_ type: StoreType) throws {
        let trial = try trial(type)
        let image = try trial.make()
        let backup = trial.folder.file("backup.db")
        let manager = MigrationManager(destinationModel: trial.new)

        try manager.migrateStore(at: trial.url, ofType: type, keepingBackupAt: backup)

        let kept = try trial.engine.open(
            OpenRequest(location: .file(backup), model: trial.old, createsMissing: false))
        defer { try? kept.close() }
        #expect(try StoreImage(kept) == image)

        let bytes = try Data(contentsOf: trial.url)
        let changed = try ManagedObjectModel([EntityDescription("Other")])
        let refused = #expect(throws: GraphError.self) {
            try MigrationManager(destinationModel: changed).migrateStore(
                at: trial.url, ofType: type, keepingBackupAt: backup)
        }
        guard case .destinationExists(.file(backup))? = refused else {
            Issue.record("refused with \(String(describing: refused))")
            return
        }
        #expect(try Data(contentsOf: trial.url) == bytes)
    }

    @Test(arguments: everyFileEngine)
    func `leaves the store unchanged if it is cancelled`(_ type: StoreType) async throws {
        let trial = try trial(type)
        let image = try trial.make()
        let manager = MigrationManager(destinationModel: trial.new)
        manager.cancelMigration()

        let error = #expect(throws: GraphError.self) {
            try manager.migrateStore(at: trial.url, ofType: type)
        }

        guard case .copyCancelled? = error else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
        let store = try trial.open(trial.old)
        #expect(try StoreImage(store) == image)
        try store.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: trial.folder.url.path)
                .filter { $0.hasSuffix(".migrating") || $0.contains(".copy-") } == [])
    }

    @Test(arguments: everyFileEngine)
    func `reports progress up to the last object`(_ type: StoreType) throws {
        let trial = try trial(type)
        let image = try trial.make()
        let manager = MigrationManager(destinationModel: trial.new)

        try manager.migrateStore(at: trial.url, ofType: type)

        #expect(manager.progress.totalUnitCount == Int64(image.objects.count))
        #expect(manager.migrationProgress == 1)
    }

    /// SQLite migrates in place, and the other engines by copying. The second migration has nothing to do.
    @Test(arguments: everyFileEngine)
    func `completes the unit of a parent, whatever there is to do`(_ type: StoreType) throws {
        let change = try #require(
            ChangeCase.all.first { $0.testDescription == "an optional attribute is added" })
        let trial = try MigrationTrial(type, from: change.old, to: change.new)
        _ = try trial.make()
        let parent = Progress(totalUnitCount: 2)

        var fractions: [Double] = []
        for _ in 0..<2 {
            let manager = MigrationManager(destinationModel: trial.new)
            parent.addChild(manager.progress, withPendingUnitCount: 1)
            try manager.migrateStore(at: trial.url, ofType: type)
            fractions.append(parent.fractionCompleted)
        }

        #expect(fractions == [0.5, 1])
        #expect(parent.isFinished)
    }

    @Test(arguments: everyFileEngine)
    func `migrates a store to a new one of another engine`(_ type: StoreType) throws {
        let trial = try trial(type)
        let image = try trial.make()
        let other: StoreType = type == .sqlite ? .lmdb : .sqlite
        let destination = trial.folder.file("other.db")
        let manager = MigrationManager(sourceModel: trial.old, destinationModel: trial.new)

        try manager.migrateStore(
            from: trial.url, sourceType: type, toDestinationURL: destination,
            destinationType: other)

        let engine = try StoreRegistry.builtIn.engine(ofType: other)
        let made = try engine.open(
            OpenRequest(location: .file(destination), model: trial.new, createsMissing: false))
        defer { try? made.close() }
        let oracle = MigrationOracle(from: trial.old, to: trial.new)
        #expect(try StoreImage(made).differences(from: oracle.migrated(image)) == [])
        let old = try trial.open(trial.old)
        defer { try? old.close() }
        #expect(try StoreImage(old) == image)
    }

    @Test func `executes a mapping model on the way instead of skipping it`() throws {
        let change = try #require(
            ChangeCase.all.first { $0.testDescription == "an optional attribute is added" })
        let trial = try MigrationTrial(.sqlite, from: change.old, to: change.new)
        _ = try trial.make()
        var history = ModelHistory(
            versions: [
                .init(name: "1", model: trial.old), .init(name: "2", model: trial.new),
            ])
        history.add(MappingModel(), named: "Empty", from: trial.old, to: trial.new)
        let manager = MigrationManager(destinationModel: trial.new, history: history)

        try manager.migrateStore(at: trial.url, ofType: .sqlite)

        #expect(try trial.image().objects.isEmpty)
    }

    @Test(arguments: everyFileEngine, ChangeCase.unnoticedExchanges)
    func `refuses an exchange of names that the version hashes do not show`(
        _ type: StoreType, _ change: ChangeCase
    ) throws {
        let trial = try MigrationTrial(type, from: change.old, to: change.new)
        let image = try trial.make()
        let manager = MigrationManager(destinationModel: trial.new)

        let errors = [
            #expect(throws: GraphError.self) {
                _ = try manager.plan(forStoreAt: trial.url, ofType: type)
            },
            #expect(throws: GraphError.self) {
                try manager.migrateStore(at: trial.url, ofType: type)
            },
        ]

        for error in errors {
            #expect("\(String(describing: error))".contains("hash modifier"))
        }
        let store = try trial.open(trial.old)
        defer { try? store.close() }
        #expect(try StoreImage(store) == image)
    }

    @Test(arguments: ChangeCase.unnoticedExchanges + ChangeCase.exchangeCases)
    func `a verdict and a linter refuse only exchanges without a hash modifier`(
        _ change: ChangeCase
    ) throws {
        let (old, new) = (try ManagedObjectModel(change.old), try ManagedObjectModel(change.new))

        let changes = ModelChanges(from: old, to: new)
        let verdict = InferenceVerdict(changes, from: old, to: new)
        let warnings = ModelLinter(new).warnings().filter { $0.kind == .unnoticedRename }

        #expect(verdict.isPossible == changes.requiresMigration)
        #expect(changes.unnoticedRenames.isEmpty == changes.requiresMigration)
        #expect(warnings.isEmpty == changes.requiresMigration)
    }

    @Test(arguments: everyFileEngine)
    func `follows a chain of versions if the direct way cannot be inferred`(
        _ type: StoreType
    ) throws {
        // The last version alone does not define the state of objects that have none.
        let state = AttributeDescription("state", .string, isOptional: false)
        var withDefault = state
        withDefault.defaultValue = .string("new")
        let models = try [nil, withDefault, state].map { try Self.model([$0].compactMap(\.self)) }
        let trial = try MigrationTrial(type, from: models[0], to: models[2])
        let image = try trial.make()
        let direct = MigrationManager(destinationModel: models[2])
        let manager = MigrationManager(destinationModel: models[2], history: Self.history(models))

        let refused = #expect(throws: GraphError.self) {
            try direct.migrateStore(at: trial.url, ofType: type)
        }
        #expect("\(String(describing: refused))".contains("Note.state: it is required"))
        let plan = try manager.migrateStore(at: trial.url, ofType: type)

        let first = MigrationOracle(from: models[0], to: models[1]).migrated(image)
        let expected = MigrationOracle(from: models[1], to: models[2]).migrated(first)
        #expect(plan.stages.count == 2)
        #expect(try trial.image().differences(from: expected) == [])
    }

    @Test(arguments: everyFileEngine)
    func `follows a chain of versions if the direct way would lose values`(
        _ type: StoreType
    ) throws {
        // Each renaming identifier refers to the previous version. The last version does not mention the
        // first name.
        let models = try [
            AttributeDescription("text", .string), .renamed("body", .string, from: "text"),
            .renamed("content", .string, from: "body"),
        ].map { try Self.model([$0]) }
        let trial = try MigrationTrial(type, from: models[0], to: models[2])
        let image = try trial.make()
        let manager = MigrationManager(destinationModel: models[2], history: Self.history(models))

        let plan = try manager.migrateStore(at: trial.url, ofType: type)

        let values = { (image: StoreImage, name: String) in
            image.objects.mapValues { $0.values[name] }
        }
        #expect(plan.stages.count == 2)
        #expect(try values(trial.image(), "content") == values(image, "text"))
    }

    @Test func `removes what a version in between has removed`() throws {
        // The entity is removed in the second version. The third one has a new entity with its name.
        let keeper = EntityDescription("Keeper", [.attribute("name", .string)])
        let coming = EntityDescription(
            "Coming", [.attribute("x", .string), .attribute("y", .string)])
        let back = EntityDescription("Coming", [.attribute("x", .string)])
        let models = try [[keeper, coming], [keeper], [keeper, back]].map {
            try ManagedObjectModel($0)
        }

        let route = try MigrationRoute(from: models[0], to: models[2], in: Self.history(models))

        #expect(route.stages.count == 2)
        #expect(
            route.reasons.map(\.description) == [
                "Coming: its objects are new, but come from “Coming” in a direct migration"
            ])
    }

    private static func model(
        _ attributes: [AttributeDescription]
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                "Note", [.attribute("number", .integer32)] + attributes.map { .attribute($0) })
        ])
    }

    private static func history(_ models: [ManagedObjectModel]) -> ModelHistory {
        ModelHistory(
            versions: models.enumerated().map { .init(name: "\($0.offset)", model: $0.element) })
    }

    @Test(arguments: everyFileEngine, [true, false])
    func `does not mistake a version with a derived attribute for the store's`(
        _ type: StoreType, _ knowsOwnVersion: Bool
    ) throws {
        var folded = AttributeDescription("folded", .string)
        folded.derivation = Derivation(expression: "canonical:(title)")
        let derived = ChangeCase.library.changing("Book") {
            $0.properties.append(.attribute(folded))
        }
        let later = ChangeCase.library.changing("Book") {
            $0.properties.append(.attribute("isbn", .string))
        }
        let trial = try MigrationTrial(type, from: ChangeCase.library, to: later)
        let before = try trial.make()
        let models = [try ManagedObjectModel(derived)] + (knowsOwnVersion ? [trial.old] : [])
        let manager = MigrationManager(
            destinationModel: trial.new, history: Self.history(models + [trial.new]))

        try manager.migrateStore(at: trial.url, ofType: type)

        let expected = MigrationOracle(from: trial.old, to: trial.new).migrated(before)
        #expect(try trial.image() == expected)
    }
}

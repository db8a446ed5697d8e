import Cairn
import CairnStoreCopying
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

/// A store is migrated over several known versions as if the program had migrated it to each of them.
@Suite struct `Migration over several versions` {
    private static let ways = everyFileEngine.map { ($0, false) } + [(StoreType.sqlite, true)]

    private static let automatically: StoreOptions = [
        .migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true),
    ]

    private static func history(_ models: [ManagedObjectModel]) -> ModelHistory {
        ModelHistory(
            versions: models.enumerated().map { .init(name: "\($0.offset + 1)", model: $0.element) }
        )
    }

    /// Returns the content after one migration for each version.
    private static func expected(
        _ image: StoreImage, _ models: [ManagedObjectModel]
    ) -> StoreImage {
        zip(models, models.dropFirst()).reduce(image) { image, step in
            MigrationOracle(from: step.0, to: step.1).migrated(image)
        }
    }

    private func trial(
        _ chain: VersionChain, _ type: StoreType
    ) throws -> (trial: MigrationTrial, models: [ManagedObjectModel]) {
        let models = try chain.versions.map { try ManagedObjectModel($0) }
        return (try MigrationTrial(type, from: models[0], to: models[models.count - 1]), models)
    }

    @Test(arguments: ways, VersionChain.differing)
    func `passes through versions that treat a property differently`(
        _ way: (type: StoreType, allowsInPlace: Bool), _ chain: VersionChain
    ) throws {
        let (trial, models) = try trial(chain, way.type)
        let image = try trial.make()
        var migration = try trial.migration(allowsInPlace: way.allowsInPlace)
        migration.history = Self.history(models)

        let plan = try migration.run { _ in .proceed }

        #expect(plan.stages.count == 2)
        #expect(!plan.reasonsForStages.isEmpty)
        #expect(try trial.image().differences(from: Self.expected(image, models)) == [])
    }

    @Test(arguments: ways, VersionChain.equal)
    func `is one stage if that gives the same values`(
        _ way: (type: StoreType, allowsInPlace: Bool), _ chain: VersionChain
    ) throws {
        let (trial, models) = try trial(chain, way.type)
        let image = try trial.make()
        var migration = try trial.migration(allowsInPlace: way.allowsInPlace)
        migration.history = Self.history(models)

        let plan = try migration.run { _ in .proceed }

        #expect(plan.stages.count == 1)
        #expect(plan.reasonsForStages.isEmpty)
        #expect(try trial.image().differences(from: Self.expected(image, models)) == [])
    }

    @Test(arguments: everyFileEngine)
    func `gives the values of each step when a coordinator opens the store`(
        _ type: StoreType
    ) throws {
        let (trial, models) = try trial(VersionChain.differing[0], type)
        let image = try trial.make()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: models[2])
        coordinator.setModelHistory { Self.history(models) }

        let store = try coordinator.addPersistentStore(
            ofType: type, at: trial.url, options: Self.automatically)

        try coordinator.remove(store)
        #expect(try trial.image().differences(from: Self.expected(image, models)) == [])
    }

    @Test(arguments: everyFileEngine)
    func `gives the values of each step in a store of another engine`(_ type: StoreType) throws {
        let (trial, models) = try trial(VersionChain.differing[0], type)
        let image = try trial.make()
        let other: StoreType = type == .sqlite ? .lmdb : .sqlite
        let copy = try MigrationTrial(other, from: models[0], to: models[2])

        try MigrationManager(destinationModel: models[2], history: Self.history(models))
            .migrateStore(
                from: trial.url, sourceType: type, toDestinationURL: copy.url,
                destinationType: other)

        #expect(try copy.image().differences(from: Self.expected(image, models)) == [])
        let old = try trial.open(trial.old)
        defer { try? old.close() }
        #expect(try StoreImage(old) == image)
    }

    @Test func `says in the plan why the store passes through other versions`() throws {
        let (trial, models) = try trial(VersionChain.differing[0], .sqlite)
        _ = try trial.make()
        let manager = MigrationManager(
            destinationModel: models[2], history: Self.history(models))

        let plan = try manager.plan(forStoreAt: trial.url, ofType: .sqlite)

        #expect(
            plan.description.hasPrefix(
                """
                The store is migrated version by version, because of a direct migration:
                  Note.bar: its values come from “Note.foo”, but are new in a direct migration
                  Note.foo: its values are new, but come from “Note.foo” in a direct migration
                Stage 1 of 2: 1 → 2, inferred
                """))
        #expect(plan.description.contains("\nStage 2 of 2: 2 → 3, inferred\n"))
        #expect(plan.description.contains("  rename column ZFOO of ZNOTE to ZBAR\n"))
    }

    @Test func `passes through as many versions as possible if one cannot be inferred`() throws {
        // The second version has another type for `x`. The third one renames `foo`.
        let x = AttributeDescription("x", .string)
        let models = try [
            [x, AttributeDescription("foo", .string)],
            [AttributeDescription("x", .date), AttributeDescription("foo", .string)],
            [x, .renamed("bar", .string, from: "foo")],
            [x, AttributeDescription("bar", .string), AttributeDescription("foo", .string)],
        ].map { try ManagedObjectModel([EntityDescription("Note", $0.map { .attribute($0) })]) }

        let route = try MigrationRoute(from: models[0], to: models[3], in: Self.history(models))

        #expect(route.stages.map { $0.destination === models[2] } == [true, false])
    }

    @Test(arguments: everyFileEngine)
    func `is refused if a version cannot be inferred, and values would be put elsewhere without it`(
        _ type: StoreType
    ) throws {
        // The second version renames `foo`. The third one gives the renamed attribute another type.
        let models = try [
            [AttributeDescription("foo", .string)], [.renamed("bar", .string, from: "foo")],
            [AttributeDescription("bar", .date), AttributeDescription("foo", .string)],
        ].map { try ManagedObjectModel([EntityDescription("Note", $0.map { .attribute($0) })]) }
        let trial = try MigrationTrial(type, from: models[0], to: models[2])
        let image = try trial.make()
        var migration = try trial.migration(allowsInPlace: true)
        migration.history = Self.history(models)

        let error = #expect(throws: StoreCopyError.self) {
            try migration.run { _ in .proceed }
        }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(
            findings.map(\.description).prefix(2) == [
                "Note.bar: its values come from “Note.foo”, but are new in the migration that can be"
                    + " inferred",
                "Note.foo: its values are new, but come from “Note.foo” in the migration that can be"
                    + " inferred",
            ])
        #expect(findings.last?.reason.contains("its type changed from string to date") == true)
        let store = try trial.open(models[0])
        defer { try? store.close() }
        #expect(try StoreImage(store) == image)
    }

    @Test func `does not pass through versions that may be older than an unknown one`() throws {
        let models = try VersionChain.differing[0].versions.map { try ManagedObjectModel($0) }
        let unknown = try ManagedObjectModel([
            EntityDescription("Note", [.attribute("foo", .string), .attribute("x", .string)])
        ])

        let route = try MigrationRoute(from: unknown, to: models[2], in: Self.history(models))

        #expect(route.stages.count == 1)
    }

    @Test func `does not lose what a direct migration keeps if the order of versions is a guess`()
        throws
    {
        let folder = try TemporaryFolder()
        let x = PropertyDescription.attribute("x", .string)
        let versions = [
            "Draft": [EntityDescription("Note", [.attribute("foo", .string)])],
            "Beta": [EntityDescription("Note", [.attribute("foo", .string), x])],
            "Final": [
                EntityDescription("Note", [.attribute("foo", .string), x, .toOne("n", "Note")])
            ],
        ]
        let models = try versions.mapValues { try ManagedObjectModel($0) }
        let url = folder.file("Notes.xcdatamodeld")
        try ModelCreator.create(
            VersionedModel(versions: models, currentName: "Final"), as: .xcdatamodeld, at: url)
        let history = try ModelHistory(contentsOf: url)

        let route = try MigrationRoute(
            from: #require(models["Beta"]), to: #require(models["Final"]), in: history)

        #expect(history.versions.map(\.name) == ["Beta", "Draft", "Final"])
        #expect(!history.isOrderCertain)
        #expect(route.stages.count == 1)
    }

    @Test(arguments: [
        ["Notes", "Notes 2", "Notes 10"], ["v1", "v2"], ["NotesV1", "Notes", "Notes_2"],
    ])
    func `knows the order of versions whose names differ in a number`(_ names: [String]) throws {
        let folder = try TemporaryFolder()
        let model = try ManagedObjectModel([EntityDescription("Note")])
        let url = folder.file("Notes.xcdatamodeld")
        try ModelCreator.create(
            VersionedModel(
                versions: Dictionary(uniqueKeysWithValues: names.map { ($0, model) }),
                currentName: names[0]),
            as: .xcdatamodeld, at: url)

        let history = try ModelHistory(contentsOf: url)

        #expect(history.isOrderCertain)
    }

    @Test func `takes a store for one of the newest version with its hashes`() throws {
        // The third version has the first one's hashes. A store of it must keep the new values of `foo`.
        let foo = PropertyDescription.attribute("foo", .string)
        let x = PropertyDescription.attribute("x", .string)
        let models = try [[foo], [x], [foo], [foo, x]].map {
            try ManagedObjectModel([EntityDescription("Note", $0)])
        }
        let history = Self.history(models)

        let source = try #require(history.version(recordedAs: models[0].entityVersionHashes))
        let route = try MigrationRoute(from: source.model, to: models[3], in: history)

        #expect(source.name == "3")
        #expect(route.stages.count == 1)
    }
}

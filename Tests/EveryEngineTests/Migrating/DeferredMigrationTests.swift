import Cairn
import CairnStore
import CairnStoreCopying
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

/// Migrations that leave cleanup for later.
@Suite struct `A deferred migration` {
    private static let old = [
        EntityDescription(
            "Note",
            [
                .attribute("title", .string), .attribute("text", .string),
                .attribute("number", .integer64),
            ])
    ]
    private static let new = [EntityDescription("Note", [.attribute("title", .string)])]

    private static let options: StoreOptions = [
        .migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true),
        .defersMigrationCleanup: .boolean(true),
    ]

    private func coordinator(
        _ trial: MigrationTrial, _ model: ManagedObjectModel? = nil
    ) -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model ?? trial.new)
        let old = trial.old
        coordinator.setModelHistory {
            ModelHistory(versions: [ModelHistory.Version(name: "1", model: old)])
        }
        return coordinator
    }

    /// Creates a store, and opens it with the new version and the option.
    private func migrate(_ type: StoreType) throws -> (MigrationTrial, StoreImage) {
        let trial = try MigrationTrial(type, from: Self.old, to: Self.new)
        let before = try trial.make()
        let coordinator = coordinator(trial)
        let store = try coordinator.addPersistentStore(
            ofType: type, at: trial.url, options: Self.options)
        #expect(try coordinator.hasDeferredLightweightMigrationTasks() == (type == .sqlite))
        try coordinator.remove(store)
        return (trial, MigrationOracle(from: trial.old, to: trial.new).migrated(before))
    }

    private func countTasks(_ trial: MigrationTrial) throws -> Int {
        let coordinator = coordinator(trial)
        let store = try coordinator.addPersistentStore(ofType: trial.type, at: trial.url)
        defer { try? coordinator.remove(store) }
        var count = 0
        while try coordinator.finishDeferredLightweightMigrationTask() { count += 1 }
        #expect(try !coordinator.hasDeferredLightweightMigrationTasks())
        return count
    }

    @Test(arguments: everyFileEngine)
    func `drops columns later, and has no effect on other engines`(_ type: StoreType) throws {
        let (trial, expected) = try migrate(type)

        let image = try trial.image()
        let store = try trial.open(trial.new)
        let unexplained = try (store as? any SelfCheckingStore)?.findUnexplainedValues() ?? []
        try store.close()
        let taskCount = try countTasks(trial)

        #expect(image.differences(from: expected) == [])
        #expect(unexplained.map(\.detail) == [])
        #expect(taskCount == (type == .sqlite ? 2 : 0))
        #expect(try trial.image() == image)
    }

    @Test func `leaves a store that other programs read, save to and finish`() async throws {
        let (trial, _) = try migrate(.sqlite)
        let coordinator = coordinator(trial)
        try await coordinator.addPersistentStore(ofType: .sqlite, at: trial.url)
        let handle = ContextHandle(coordinator: coordinator)
        let count = try await handle.perform { context in
            try context.insertNewObject(forEntityName: "Note").setValue("last", forKey: "title")
            try context.save()
            return try context.count(for: FetchRequest<ManagedObject>("Note"))
        }

        let other = self.coordinator(trial)
        try await other.addPersistentStore(ofType: .sqlite, at: trial.url)
        try await other.finishDeferredLightweightMigration()
        let titles = try await handle.perform { context in
            try context.insertNewObject(forEntityName: "Note").setValue("after", forKey: "title")
            try context.save()
            return try context.count(
                for: FetchRequest<ManagedObject>("Note", where: "title != nil"))
        }

        #expect(count == 7)
        #expect(titles > 2)
        #expect(try !other.hasDeferredLightweightMigrationTasks())
        for coordinator in [coordinator, other] {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }

    @Test(arguments: [true, false])
    func `is finished by a later migration in place, unless that is deferred, too`(
        _ isDeferred: Bool
    ) throws {
        let (trial, _) = try migrate(.sqlite)
        // The names of the removed attributes are used again.
        var newest = Self.old
        newest[0].properties.removeFirst()
        let last = try MigrationTrial(
            .sqlite, from: trial.new, to: ManagedObjectModel(newest), in: trial.folder)
        let before = try last.image(of: last.old)
        var migration = try last.migration(allowsInPlace: true)
        migration.defersCleanup = isDeferred

        let plan = try migration.run { _ in .proceed }

        #expect(plan.stages.map { $0.method == .copy } == [false])
        let expected = MigrationOracle(from: last.old, to: last.new).migrated(before)
        #expect(try last.image().differences(from: expected) == [])
        #expect(try countTasks(last) == (isDeferred ? 3 : 0))
    }

    @Test func `is not copied with the store`() throws {
        let (trial, expected) = try migrate(.sqlite)
        let store = try trial.open(trial.new)
        let copy = trial.folder.file("copy.db")
        let engine = try StoreRegistry.builtIn.engine(ofType: .sqlite)

        try StoreCopier(to: engine).copy(store, to: copy)
        try store.close()

        let coordinator = coordinator(trial)
        let opened = try coordinator.addPersistentStore(ofType: .sqlite, at: copy)
        #expect(try !coordinator.hasDeferredLightweightMigrationTasks())
        #expect(try StoreImage(opened).differences(from: expected) == [])
        try coordinator.remove(opened)
    }

    @Test func `says in the plan what is left for later`() throws {
        let trial = try MigrationTrial(.sqlite, from: Self.old, to: Self.new)
        _ = try trial.make()

        let plan = try MigrationManager(destinationModel: trial.new)
            .plan(
                forStoreAt: trial.url, ofType: .sqlite,
                options: [.defersMigrationCleanup: .boolean(true)])

        #expect(plan.description.contains("leave for later: drop column ZTEXT of ZNOTE\n"))
    }
}

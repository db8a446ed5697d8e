import Cairn
import CairnStore
import CairnStoreCopying
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

/// Entities that move from one store's configuration to another's.
@Suite struct `A migration of a configuration` {
    private static let ways = everyFileEngine.map { ($0, false) } + [(StoreType.sqlite, true)]

    /// Returns the model. Shelves and notes are in one store and pens in another. In the later version, the
    /// notes are with the pens.
    private static func model(isLater: Bool) throws -> ManagedObjectModel {
        var shelf = EntityDescription("Shelf", [.attribute("name", .string)])
        if isLater { shelf.properties.append(.attribute("room", .string)) }
        var pen = EntityDescription("Pen", [.attribute("color", .string)])
        if isLater { pen.properties.append(.attribute("price", .double)) }
        var description = ModelDescription([
            EntityDescription("Note", [.attribute("text", .string)]), pen, shelf,
        ])
        description.configurations =
            isLater
            ? ["paper": ["Shelf"], "rest": ["Note", "Pen"]]
            : ["paper": ["Note", "Shelf"], "rest": ["Pen"]]
        return try ManagedObjectModel(description)
    }

    private func trial(_ type: StoreType, _ configuration: String) throws -> MigrationTrial {
        var trial = try MigrationTrial(
            type, from: try Self.model(isLater: false), to: try Self.model(isLater: true))
        trial.configuration = configuration
        return trial
    }

    private func removeNotes(_ trial: MigrationTrial) throws {
        let store = try trial.open(trial.old)
        defer { try? store.close() }
        let note = try #require(trial.old.entity(named: "Note"))
        let snapshot = try store.snapshot()
        let cursor = try snapshot.cursor(FetchPlan(entity: note))
        var request = SaveRequest()
        while let rows = try cursor.next(atMost: 100) {
            request.deleted += rows.rows.map { RowDeletion(id: $0.id, previousVersion: $0.version) }
        }
        snapshot.end()
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    @Test(arguments: ways)
    func `that would leave objects without a store is refused`(
        _ type: StoreType, allowsInPlace: Bool
    ) throws {
        let trial = try trial(type, "paper")
        let before = try trial.make()

        let error = #expect(throws: StoreCopyError.self) {
            _ = try trial.migration(allowsInPlace: allowsInPlace).run { _ in .proceed }
        }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(findings.map(\.entity) == ["Note"])
        #expect(findings.first?.reason.contains("configuration") == true)
        let old = try trial.open(trial.old)
        defer { try? old.close() }
        #expect(try StoreImage(old) == before)
    }

    @Test(arguments: ways)
    func `that loses no objects keeps the others`(
        _ type: StoreType, allowsInPlace: Bool
    ) throws {
        let trial = try trial(type, "paper")
        let before = try trial.make()
        try removeNotes(trial)

        _ = try trial.migration(allowsInPlace: allowsInPlace).run { _ in .proceed }

        let shelves = before.objects.filter { $0.key.entity == "Shelf" }
        #expect(shelves.count == 6)
        #expect(try trial.image().objects == shelves)
    }

    @Test(arguments: ways)
    func `gives the other store the entity`(_ type: StoreType, allowsInPlace: Bool) throws {
        let trial = try trial(type, "rest")
        let before = try trial.make()

        _ = try trial.migration(allowsInPlace: allowsInPlace).run { _ in .proceed }

        #expect(try trial.image() == before)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: trial.new)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: "rest", at: trial.url)
        try ContextHandle(source: coordinator).performAndWait { context in
            try context.insertNewObject(forEntityName: "Note").setValue("new", forKey: "text")
            try context.save()
            #expect(try context.count(for: FetchRequest<ManagedObject>("Note")) == 1)
            #expect(try context.count(for: FetchRequest<ManagedObject>("Pen")) == 6)
        }
    }

    /// The code and the policy are for an entity that the other store holds.
    @Test(arguments: everyFileEngine, [true, false])
    func `runs no code for objects of another store`(
        _ type: StoreType, usesMapping: Bool
    ) throws {
        let trial = try trial(type, "rest")
        let before = try trial.make()
        var history = ModelHistory(
            versions: [.init(name: "1", model: trial.old), .init(name: "2", model: trial.new)])
        if usesMapping {
            let color = PropertyMapping("color", try FetchExpression(format: "$source.color"))
            let mapping = MappingModel([
                EntityMapping("Pens", from: "Pen", to: "Pen", attributes: [color]),
                EntityMapping("Shelves", from: "Shelf", to: "Shelf", policy: "Policy"),
            ])
            history.add(mapping, named: "Pens", from: trial.old, to: trial.new)
            history.register(EntityMigrationPolicy.self, as: "Policy")
        } else {
            history.migrate("Shelf", to: trial.new) { _, _ in Issue.record("it ran") }
        }

        try MigrationManager(destinationModel: trial.new, history: history)
            .migrateStore(at: trial.url, ofType: type, configurationName: "rest")

        #expect(before.objects.count == 6)
        #expect(try trial.image().objects == before.objects)
    }
}

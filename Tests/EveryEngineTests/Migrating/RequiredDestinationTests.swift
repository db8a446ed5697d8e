import Cairn
import CairnStore
import CairnStoreCopying
import CairnTestSupport
import GraphSupport
import MigrationSupport
import Testing

/// A required to-one relationship whose destination entity is removed.
@Suite struct `A required destination` {
    private static let old = [
        EntityDescription("Item", [.toOne("in", "Thing", isOptional: false)]),
        EntityDescription("Thing"), EntityDescription("Box", superentity: "Thing"),
        EntityDescription("Jar", superentity: "Thing"),
    ]

    /// Creates a store with an item inside an object of the given entity.
    private func trial(
        _ type: StoreType, itemIn entity: String
    ) throws -> (trial: MigrationTrial, before: StoreImage) {
        let trial = try MigrationTrial(
            type, from: Self.old, to: Self.old.filter { $0.name != "Jar" })
        let store = try trial.open(trial.old, createsMissing: true)
        defer { try? store.close() }
        let container = try #require(trial.old.entity(named: entity))
        let item = try #require(trial.old.entity(named: "Item"))
        var writer = RowWriter(store: store.number)
        writer.begin(store.request.layouts.layout(of: container), key: 1, version: 1)
        writer.endRow()
        let layout = store.request.layouts.layout(of: item)
        writer.begin(layout, key: 1, version: 1)
        writer.set(
            key: 1, entity: container.number, at: try #require(layout.slot(named: "in")))
        writer.endRow()
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        _ = try transaction.reserveKeys([
            container.rootEntity.number: 1, item.number: 1,
        ])
        try transaction.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try transaction.commit()
        return (trial, try StoreImage(store))
    }

    @Test(arguments: everyFileEngine, [true, false])
    func `is a reason to refuse a migration that would lose it`(
        _ type: StoreType, _ allowsInPlace: Bool
    ) throws {
        let (trial, before) = try trial(type, itemIn: "Jar")

        let error = #expect(throws: StoreCopyError.self) {
            try trial.migration(allowsInPlace: allowsInPlace).run { _ in .proceed }
        }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(findings.map { "\($0.entity).\($0.property ?? "")" } == ["Item.in"])
        let store = try trial.open(trial.old)
        let image = try StoreImage(store)
        try store.close()
        #expect(image == before)
    }

    @Test(arguments: everyFileEngine, [true, false])
    func `of an entity that remains is kept`(_ type: StoreType, _ allowsInPlace: Bool) throws {
        let (trial, before) = try trial(type, itemIn: "Box")

        _ = try trial.migration(allowsInPlace: allowsInPlace).run { _ in .proceed }

        #expect(try trial.image() == before)
    }

    @Test(arguments: everyFileEngine, [true, false])
    func `may be demanded if every object has one`(
        _ type: StoreType, _ allowsInPlace: Bool
    ) throws {
        let optional = [EntityDescription("Item", [.toOne("in", "Thing")])] + Self.old.dropFirst()
        let trial = try MigrationTrial(type, from: optional, to: Self.old)
        let before = try trial.make()
        #expect(before.objects.contains { $0.key.entity == "Item" && $0.value.toOnes.isEmpty })

        let error = #expect(throws: StoreCopyError.self) {
            try trial.migration(allowsInPlace: allowsInPlace).run { _ in .proceed }
        }
        try removeItemsWithoutDestination(trial)
        let kept = try trial.image(of: trial.old)
        _ = try trial.migration(allowsInPlace: allowsInPlace).run { _ in .proceed }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(findings.first?.reason.hasPrefix("it is now required, but the store") == true)
        #expect(try trial.image() == kept)
    }

    private func removeItemsWithoutDestination(_ trial: MigrationTrial) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: trial.old)
        let store = try coordinator.addPersistentStore(ofType: trial.type, at: trial.url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let request = try FetchRequest<ManagedObject>("Item", where: "#in == nil")
            for item in try context.fetch(request) { try context.delete(item) }
            try context.save()
        }
        try coordinator.remove(store)
    }
}

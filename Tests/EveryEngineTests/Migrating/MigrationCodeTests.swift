import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Synchronization
import Testing

/// Code of a program that runs in a step between two versions.
@Suite struct `Code in a migration` {
    private struct Failure: Error {}

    private let folder: TemporaryFolder
    private var url: URL { folder.file("store.db") }
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel

    init() throws {
        folder = try TemporaryFolder()
        old = try ManagedObjectModel([
            EntityDescription(
                "Person",
                [
                    .attribute("name", .string), .attribute("born", .string),
                    .attribute("street", .string), .toOne("friend", "Person"),
                ]),
            EntityDescription("Worker", superentity: "Person", [.attribute("job", .string)]),
        ])
        var address = RelationshipDescription.toOne("address", "Address", inverse: "people")
        address.isOptional = false
        new = try ManagedObjectModel([
            EntityDescription(
                "Person",
                [
                    .attribute("name", .string), .attribute("born", .date), .relationship(address),
                    .toOne("friend", "Person"),
                ]),
            EntityDescription("Worker", superentity: "Person", [.attribute("job", .string)]),
            EntityDescription(
                "Address",
                [
                    .attribute("street", .string),
                    .toMany("people", "Person", inverse: "address"),
                ]),
        ])
    }

    /// Saves persons, of whom every third is a worker. Each is the friend of the next.
    private func fill(_ type: StoreType, count: Int = 6) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: old)
        let store = try coordinator.addPersistentStore(ofType: type, at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var last: ManagedObject?
            for number in 1...count {
                let person = try context.insertNewObject(
                    forEntityName: number % 3 == 0 ? "Worker" : "Person")
                try person.setValue("P\(number)", forKey: "name")
                try person.setValue("\(1990 + number)", forKey: "born")
                try person.setValue("Street \(number % 2)", forKey: "street")
                try person.setValue(last, forKey: "friend")
                last = person
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// The code that a program needs for the new version: addresses become objects, and texts become dates.
    private func history(
        _ versions: [ManagedObjectModel]? = nil
    ) -> ModelHistory {
        var history = ModelHistory(
            versions: (versions ?? [old, new]).enumerated().map { .init(name: "\($0)", model: $1) })
        history.migrate("Person", to: new) { old, new in
            guard let context = new.managedObjectContext else { throw Failure() }
            let street = try old.value(forKey: "street") as? String
            let known = try context.fetch(
                FetchRequest<ManagedObject>("Address", where: "street == %@", street)
            ).first
            let address = try known ?? context.insertNewObject(forEntityName: "Address")
            try address.setValue(street, forKey: "street")
            try new.setValue(address, forKey: "address")
            let year = try (old.value(forKey: "born") as? String).flatMap { Double($0) } ?? 0
            try new.setValue(Date(timeIntervalSinceReferenceDate: year), forKey: "born")
        }
        return history
    }

    /// Returns a line for each person of the new version, in the order of names.
    private func lines(_ type: StoreType) throws -> [String] {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: new)
        let store = try coordinator.addPersistentStore(ofType: type, at: url)
        defer { try? coordinator.remove(store) }
        return try ContextHandle(coordinator: coordinator).performAndWait { context in
            var request = FetchRequest<ManagedObject>("Person")
            request.sortDescriptors = [FetchSortDescriptor("name")]
            let addresses = try context.count(for: FetchRequest<ManagedObject>("Address"))
            return try context.fetch(request).map { person in
                let born = try person.value(forKey: "born") as? Date
                let street = try person.value(forKeyPath: "address.street") as? String
                let friend = try person.value(forKeyPath: "friend.name") as? String
                return "\(person.entity.name) \(person.objectID.key) "
                    + "\(born?.timeIntervalSinceReferenceDate ?? 0) \(street ?? "-") \(friend ?? "-")"
            } + ["\(addresses) addresses"]
        }
    }

    /// Returns the names of the files beside the store that a migration should have removed.
    private func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { $0.hasSuffix(".migrating") || $0.contains(".copy-") }
    }

    private static let migrated = [
        "Person 1 1991.0 Street 1 -", "Person 2 1992.0 Street 0 P1",
        "Worker 3 1993.0 Street 1 P2", "Person 4 1994.0 Street 0 P3",
        "Person 5 1995.0 Street 1 P4", "Worker 6 1996.0 Street 0 P5", "2 addresses",
    ]

    // MARK: Tests

    @Test(arguments: everyFileEngine)
    func `splits an entity and converts texts to dates`(_ type: StoreType) throws {
        try fill(type)
        let manager = MigrationManager(destinationModel: new, history: history())

        let plan = try manager.plan(forStoreAt: url, ofType: type)
        try manager.migrateStore(at: url, ofType: type)

        #expect(
            plan.description.contains(
                "Code of the program runs for each object of Person (6 objects)."))
        #expect(plan.description.contains("Person.born: its type changed from"))
        #expect(try lines(type) == Self.migrated)
        #expect(try leftovers() == [])
    }

    @Test(arguments: everyFileEngine)
    func `runs when a coordinator opens the store`(_ type: StoreType) throws {
        try fill(type)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: new)
        let history = history()
        coordinator.setModelHistory { history }

        let store = try coordinator.addPersistentStore(
            ofType: type, at: url,
            options: [.migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true)])
        try coordinator.remove(store)

        #expect(try lines(type) == Self.migrated)
    }

    @Test(arguments: everyFileEngine)
    func `runs in a migration to another engine`(_ type: StoreType) throws {
        try fill(type)
        let other: StoreType = type == .sqlite ? .lmdb : .sqlite
        let manager = MigrationManager(destinationModel: new, history: history())
        let copy = folder.file("copy.db")

        try manager.migrateStore(
            from: url, sourceType: type, toDestinationURL: copy, destinationType: other)

        try FileManager.default.removeItem(at: url)
        try FileManager.default.moveItem(at: copy, to: url)
        #expect(try lines(other) == Self.migrated)
    }

    @Test(arguments: everyFileEngine)
    func `leaves the store unchanged if it fails or only rehearses`(_ type: StoreType) throws {
        try fill(type, count: 600)
        let before = try Data(contentsOf: url)
        var failing = ModelHistory(versions: history().versions)
        failing.migrate("Person", to: new) { old, new in
            // The first saves have taken place then.
            if try old.value(forKey: "name") as? String == "P599" { throw Failure() }
            try new.setValue(
                new.managedObjectContext?.insertNewObject(forEntityName: "Address"),
                forKey: "address")
        }
        let manager = MigrationManager(destinationModel: new, history: failing)

        let error = #expect(throws: GraphError.self) {
            try manager.migrateStore(at: url, ofType: type)
        }
        let rehearsed = try MigrationManager(destinationModel: new, history: history())
            .rehearseMigration(ofStoreAt: url, ofType: type)

        guard case .store(.migrationFailed(_, "Person", let reason))? = error, reason is Failure
        else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
        #expect(rehearsed.isNeeded)
        #expect(try Data(contentsOf: url) == before)
        #expect(try leftovers() == [])
    }

    @Test(arguments: everyFileEngine)
    func `has to set each required value`(_ type: StoreType) throws {
        try fill(type)
        var history = ModelHistory(versions: history().versions)
        history.migrate("Person", to: new) { old, new in
            if old.entity.name == "Worker" { return }
            let address = try new.managedObjectContext?.insertNewObject(forEntityName: "Address")
            try new.setValue(address, forKey: "address")
        }
        let manager = MigrationManager(destinationModel: new, history: history)

        let error = #expect(throws: GraphError.self) {
            try manager.migrateStore(at: url, ofType: type)
        }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
        #expect(findings.map(\.entity) == ["Worker"])
        #expect(findings.map(\.property) == ["address"])
        #expect(findings.first?.reason.contains("2 objects") == true)
    }

    @Test func `gets objects of the version before its step`() throws {
        try fill(.sqlite)
        var person = try #require(old.entity(named: "Person")).description
        var renamed = AttributeDescription("lane", .string)
        renamed.renamingIdentifier = "street"
        person.properties.removeAll { $0.name == "street" }
        person.properties.append(.attribute(renamed))
        let between = try ManagedObjectModel([
            person,
            EntityDescription("Worker", superentity: "Person", [.attribute("job", .string)]),
        ])
        var history = ModelHistory(
            versions: [old, between, new].enumerated().map { .init(name: "\($0)", model: $1) })
        history.migrate("Person", to: new) { old, new in
            let address = try new.managedObjectContext?.insertNewObject(forEntityName: "Address")
            try address?.setValue(old.value(forKey: "lane"), forKey: "street")
            try new.setValue(address, forKey: "address")
        }
        let manager = MigrationManager(destinationModel: new, history: history)

        let plan = try manager.migrateStore(at: url, ofType: .sqlite)

        #expect(plan.stages.count == 2)
        let lines = try lines(.sqlite)
        #expect(lines.last == "6 addresses")
        #expect(lines.first == "Person 1 0.0 Street 1 -")
    }

    @Test func `for an entity that its step does not have is refused by name`() throws {
        try fill(.sqlite)
        var history = ModelHistory(versions: history().versions)
        history.migrate("Persons", to: new) { _, _ in }
        let manager = MigrationManager(destinationModel: new, history: history)

        let error = #expect(throws: GraphError.self) {
            _ = try manager.plan(forStoreAt: url, ofType: .sqlite)
        }

        #expect("\(String(describing: error))".contains("Persons: the program has code"))
    }

    @Test func `can be cancelled`() throws {
        try fill(.sqlite, count: 600)
        let before = try Data(contentsOf: url)
        let manager = MigrationManagerBox()
        var history = ModelHistory(versions: history().versions)
        history.migrate("Person", to: new) { old, new in
            manager.value?.cancelMigration()
            try new.setValue(
                new.managedObjectContext?.insertNewObject(forEntityName: "Address"),
                forKey: "address")
        }
        let running = MigrationManager(destinationModel: new, history: history)
        manager.set(running)

        let error = #expect(throws: GraphError.self) {
            try running.migrateStore(at: url, ofType: .sqlite)
        }

        guard case .copyCancelled? = error else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: url) == before)
    }
}

/// A manager that its own code uses.
private final class MigrationManagerBox: Sendable {
    private let manager = Mutex<MigrationManager?>(nil)
    var value: MigrationManager? { manager.withLock { $0 } }

    func set(_ new: MigrationManager) { manager.withLock { $0 = new } }
}

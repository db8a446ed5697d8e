import Cairn
import CairnTestSupport
import Foundation
import StartUpScenarios
import Testing

/// The rest of typical set-up listings: options, descriptions and merged models.
@Suite struct `Setting up with Core Data's names` {
    private let folder: TemporaryFolder
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel.mergedModel(from: [Models.bundle]))
    }

    private var url: URL { folder.file("Notebook.sqlite") }

    private func refusal(of options: [AnyHashable: Any]) -> String? {
        do {
            try coordinator.addPersistentStore(
                ofType: SQLiteStoreType, configurationName: nil, at: url, options: options)
            return nil
        } catch {
            return error.localizedDescription
        }
    }

    @Test func `accepts the pragmas that a SQLite store supports`() throws {
        try coordinator.addPersistentStore(
            ofType: SQLiteStoreType, configurationName: nil, at: url,
            options: [
                SQLitePragmasOption: ["journal_mode": "WAL", "synchronous": "NORMAL"],
                PersistentStoreTimeoutOption: 3, ReadOnlyPersistentStoreOption: false,
                PersistentHistoryTrackingKey: false,
            ])

        #expect(coordinator.persistentStores.count == 1)
    }

    @Test(arguments: [
        (["journal_mode": "DELETE"], "journal_mode"), (["cache_size": "100"], "cache_size"),
        (["synchronous": "OFF"], "synchronous"),
    ])
    func `refuses other pragmas of a SQLite store by name`(
        _ pragmas: [String: String], _ name: String
    ) {
        let refusal = refusal(of: [SQLitePragmasOption: pragmas])

        #expect(refusal?.contains("NSSQLitePragmasOption") == true)
        #expect(refusal?.contains(name) == true)
    }

    @Test func `opens a store that refuses saves with Core Data's read-only option`() throws {
        try coordinator.addPersistentStore(
            ofType: SQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(coordinator.persistentStores[0])

        let store = try coordinator.addPersistentStore(
            ofType: SQLiteStoreType, configurationName: nil, at: url,
            options: [ReadOnlyPersistentStoreOption: true])

        #expect(store.isReadOnly)
    }

    @Test @MainActor func `adds a described store and calls back`() async throws {
        let description = PersistentStoreDescription(url: url)
        let slow = PersistentStoreDescription()
        slow.type = InMemoryStoreType
        slow.shouldAddStoreAsynchronously = true
        let (calls, done) = AsyncStream<Bool>.makeStream()
        var added: [String] = []

        coordinator.addPersistentStore(with: description) { description, error in
            added.append("\(description.type) \(error == nil)")
        }
        let atReturn = added
        coordinator.addPersistentStore(with: slow) { description, error in
            added.append("\(description.type) \(error == nil)")
            done.yield(Thread.isMainThread)
            done.finish()
        }
        for await _ in calls {}

        #expect(atReturn == ["SQLite true"])
        #expect(added == ["SQLite true", "InMemory true"])
    }

    @Test func `calls back with the error if a described store fails`() throws {
        try Data("no store".utf8).write(to: url)
        let description = PersistentStoreDescription(type: .sqlite, url: url)
        var code: Int?

        coordinator.addPersistentStore(with: description) { _, error in
            if let error = error as NSError? { code = error.code }
        }

        #expect(code == 134_010)
    }

    @Test func `merges a model from the main bundle if none is named`() {
        #expect {
            try ManagedObjectModel.mergedModel(from: nil)
        } throws: { error in
            guard case ModelError.notFound = error else { return false }
            return true
        }
    }
}

import CairnTestSupport
import CoreData
import Foundation
import StartUpScenarios
import Testing

/// Core Data's options, types and descriptions are either supported or refused by name.
@Suite struct `Core Data's option` {
    private let folder: TemporaryFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try TemporaryFolder()
        coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel.mergedModel(from: [Models.bundle]))
    }

    private var url: URL { folder.file("Notebook.sqlite") }

    /// Adds a store, and returns the text of the error.
    private func refusal(
        of options: [AnyHashable: Any], ofType type: String = NSSQLiteStoreType
    ) -> String? {
        do {
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: url, options: options)
            return nil
        } catch {
            return error.localizedDescription
        }
    }

    /// The options of a description in which one option was set.
    private func options(_ name: String, _ value: NSObject) -> StoreOptions {
        let description = NSPersistentStoreDescription()
        description.setOption(value, forKey: name)
        return description.options
    }

    // MARK: Supported options

    static let supported: [(name: String, value: NSNumber, own: StoreOptions)] = [
        (NSMigratePersistentStoresAutomaticallyOption, true, [.migratesAutomatically: true]),
        (NSInferMappingModelAutomaticallyOption, true, [.infersMappingModel: true]),
        (NSReadOnlyPersistentStoreOption, true, [.readOnly: true]),
        (
            NSPersistentStoreDeferredLightweightMigrationOptionKey, true,
            [.defersMigrationCleanup: true]
        ),
        (NSPersistentStoreTimeoutOption, 2.5, [.timeout: 2.5]),
        (
            "NSPersistentStoreRemoteChangeNotificationOptionKey", true,
            [.postsRemoteChanges: true]
        ),
        (NSPersistentHistoryTrackingKey, true, [.tracksHistory: true]),
        (NSSQLiteAnalyzeOption, 0, [:]),
        (NSSQLiteManualVacuumOption, false, [:]),
        (NSIgnorePersistentStoreVersioningOption, false, [:]), ("timeout", 3, [.timeout: 3]),
    ]

    @Test(arguments: supported.indices)
    func `is translated`(_ index: Int) {
        let (name, value, own) = Self.supported[index]

        let options = options(name, value)

        #expect(options == own)
    }

    @Test func `takes numbers as numbers and Booleans as Booleans`() {
        let values: [NSObject] = [
            NSNumber(value: true), NSNumber(value: 1), NSNumber(value: 0), NSNumber(value: 2.5),
            "text" as NSString, ["x": "y"] as NSDictionary, [1, 2] as NSArray,
        ]

        let found = values.map { options("a", $0)["a"] }

        #expect(
            found == [
                true, 1, 0, 2.5, "text", .dictionary(["x": "y"]), .array([1, 2]),
            ])
    }

    @Test func `opens stores by type names, with options of Swift's types or none`() throws {
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSSQLitePragmasOption: ["journal_mode": "WAL", "synchronous": "NORMAL"],
                NSPersistentStoreTimeoutOption: 3, NSReadOnlyPersistentStoreOption: false,
                NSPersistentHistoryTrackingKey: false,
                NSPersistentStoreFileProtectionKey: FileProtectionType.none,
            ])

        #expect(coordinator.persistentStores.map(\.request.location.fileURL) == [nil, url])
    }

    @Test func `opens a store that refuses saves`() throws {
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(coordinator.persistentStores[0])

        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSReadOnlyPersistentStoreOption: true])

        #expect(store.isReadOnly)
    }

    // MARK: Refused options

    static let refused: [(name: String, value: any Sendable)] = [
        (NSPersistentStoreRemoteChangeNotificationPostOptionKey, "yes"),
        (NSSQLiteAnalyzeOption, true), (NSSQLiteManualVacuumOption, true),
        (NSIgnorePersistentStoreVersioningOption, true),
        (NSPersistentStoreFileProtectionKey, FileProtectionType.complete),
        (NSSQLitePragmasOption, ["journal_mode": "WAL"]), ("NSXMLStoreStrangeOption", true),
        (NSReadOnlyPersistentStoreOption, "yes"),
    ]

    @Test(arguments: refused.indices)
    func `that is not supported is refused, and named`(_ index: Int) throws {
        let (name, value) = Self.refused[index]

        let found = refusal(of: [name: value], ofType: NSInMemoryStoreType)
        let refusal = try #require(found)

        #expect(["readOnly", "postsRemoteChanges", name].contains { refusal.contains($0) })
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test(arguments: [
        (["journal_mode": "DELETE"], "journal_mode"), (["cache_size": "100"], "cache_size"),
        (["synchronous": "OFF"], "synchronous"),
    ])
    func `refuses other pragmas of a SQLite store by name`(
        _ pragmas: [String: String], _ name: String
    ) {
        let refusal = refusal(of: [NSSQLitePragmasOption: pragmas])

        #expect(refusal?.contains("NSSQLitePragmasOption") == true)
        #expect(refusal?.contains(name) == true)
    }

    @Test func `names and values of other types are refused`() throws {
        let number = refusal(of: [1: true])
        let progress = refusal(of: ["odd": Progress(totalUnitCount: 1)])

        #expect(number?.contains("must be a string") == true)
        #expect(progress?.contains("odd") == true && progress?.contains("Progress") == true)
    }

    // MARK: Descriptions

    @Test func `in a description is applied or refused when the store is opened`() throws {
        let readOnly = NSPersistentStoreDescription(url: url)
        readOnly.setOption(NSNumber(value: true), forKey: NSReadOnlyPersistentStoreOption)
        let analyzing = NSPersistentStoreDescription()
        analyzing.type = NSInMemoryStoreType
        analyzing.setOption(true as NSNumber, forKey: NSSQLiteAnalyzeOption)
        let odd = NSPersistentStoreDescription(type: .inMemory)
        odd.setOption(Progress(totalUnitCount: 1), forKey: "odd")

        // A store opened for reading only is never created.
        #expect {
            try coordinator.addPersistentStore(with: readOnly)
        } throws: { error in
            if case GraphError.store(.notFound) = error { true } else { false }
        }
        #expect {
            try coordinator.addPersistentStore(with: analyzing)
        } throws: { error in
            "\(error)".contains("NSSQLiteAnalyzeOption")
        }
        #expect {
            try coordinator.addPersistentStore(with: odd)
        } throws: { error in
            "\(error)".contains("odd")
        }
    }

    @Test func `in a description can be removed`() throws {
        let description = NSPersistentStoreDescription(type: .inMemory)
        description.setOption(true as NSNumber, forKey: NSReadOnlyPersistentStoreOption)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)

        description.setOption(nil, forKey: NSReadOnlyPersistentStoreOption)
        description.setOption(nil, forKey: NSPersistentHistoryTrackingKey)
        let store = try coordinator.addPersistentStore(with: description)

        #expect(description.options == [:])
        #expect(!store.isReadOnly)
    }

    @Test func `for a pragma is passed to the engine`() {
        let description = NSPersistentStoreDescription()

        description.setValue("NORMAL" as NSString, forPragmaNamed: "synchronous")
        description.setValue("WAL" as NSString, forPragmaNamed: "journal_mode")
        description.setValue(nil, forPragmaNamed: "journal_mode")

        #expect(description.options == [.sqlitePragmas: .dictionary(["synchronous": "NORMAL"])])
    }

    @Test @MainActor func `is not needed to add a described store and be called back`() async throws
    {
        let description = NSPersistentStoreDescription(url: url)
        let slow = NSPersistentStoreDescription()
        slow.type = NSInMemoryStoreType
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
}

import CairnMemory
import CairnModel
import CairnStore
import Foundation
import StackSupport
import Testing

@testable import CairnStack

/// Core Data's constants and strings for options and types are either supported or refused by name.
@Suite struct `Core Data's option` {
    @Test func `constants have the values that Core Data's have`() {
        #expect(SQLiteStoreType == "SQLite")
        #expect(InMemoryStoreType == "InMemory")
        #expect(
            MigratePersistentStoresAutomaticallyOption
                == "NSMigratePersistentStoresAutomaticallyOption")
        #expect(
            InferMappingModelAutomaticallyOption == "NSInferMappingModelAutomaticallyOption")
    }

    static let honoured: [(name: String, value: any Sendable, own: StoreOptions)] = [
        ("NSMigratePersistentStoresAutomaticallyOption", true, [.migratesAutomatically: true]),
        ("NSInferMappingModelAutomaticallyOption", true, [.infersMappingModel: true]),
        ("NSReadOnlyPersistentStoreOption", true, [.readOnly: true]),
        ("NSPersistentStoreTimeoutOption", 2.5, [.timeout: 2.5]),
        ("NSPersistentHistoryTrackingKey", false, [:]),
        (
            "NSPersistentStoreRemoteChangeNotificationOptionKey", true,
            [.postsRemoteChanges: true]
        ),
        ("NSSQLiteAnalyzeOption", false, [:]), ("NSSQLiteManualVacuumOption", false, [:]),
        ("NSIgnorePersistentStoreVersioningOption", false, [:]),
        ("NSPersistentStoreFileProtectionKey", FileProtectionType.none, [:]),
        ("timeout", 3, [.timeout: 3]),
    ]

    @Test(arguments: honoured.indices)
    func `is translated`(_ index: Int) throws {
        let (name, value, own) = Self.honoured[index]

        let options = try StoreOptions(coreData: [name: value]).translatingCoreDataNames()

        #expect(options == own)
    }

    static let refused: [(name: String, value: any Sendable)] = [
        ("NSPersistentHistoryTrackingKey", true),
        ("NSPersistentStoreRemoteChangeNotificationOptionKey", "yes"),
        ("NSSQLiteAnalyzeOption", true), ("NSSQLiteManualVacuumOption", true),
        ("NSIgnorePersistentStoreVersioningOption", true),
        ("NSPersistentStoreFileProtectionKey", FileProtectionType.complete),
        ("NSSQLitePragmasOption", ["journal_mode": "WAL"]),
        ("NSXMLStoreStrangeOption", true),
        ("NSReadOnlyPersistentStoreOption", "yes"),
    ]

    @Test(arguments: refused.indices)
    func `that is not supported is refused, and named`(_ index: Int) throws {
        let (name, value) = Self.refused[index]
        let stack = try LibraryStack()

        #expect {
            try stack.coordinator.addPersistentStore(
                ofType: InMemoryStoreType, configurationName: nil, at: nil, options: [name: value])
        } throws: { error in
            ["readOnly", "postsRemoteChanges", name].contains { "\(error)".contains($0) }
        }
        #expect(stack.coordinator.persistentStores.isEmpty)
    }

    @Test func `takes numbers as numbers and Booleans as Booleans`() throws {
        let values: [AnyHashable: Any] = [
            "a": true, "b": NSNumber(value: true), "c": 1, "d": NSNumber(value: 1),
            "e": NSNumber(value: 0), "f": 1.5, "g": NSNumber(value: 2.5), "h": "text",
            "i": ["x": "y"], "j": [1, 2],
        ]

        let options = try StoreOptions(coreData: values)

        #expect(options["a"] == true)
        #expect(options["b"] == true)
        #expect(options["c"] == 1)
        #expect(options["d"] == 1)
        #expect(options["e"] == 0)
        #expect(options["f"] == 1.5)
        #expect(options["g"] == 2.5)
        #expect(options["h"] == "text")
        #expect(options["i"] == .dictionary(["x": "y"]))
        #expect(options["j"] == .array([1, 2]))
    }

    @Test func `names and values of other types are refused`() {
        #expect(throws: StoreError.self) { try StoreOptions(coreData: [1: true]) }
        #expect {
            try StoreOptions(coreData: ["odd": Progress(totalUnitCount: 1)])
        } throws: { error in
            "\(error)".contains("odd") && "\(error)".contains("Progress")
        }
    }

    @Test func `opens stores by type names and with no options`() throws {
        let stack = try LibraryStack()

        try stack.coordinator.addPersistentStore(
            ofType: InMemoryStoreType, configurationName: "Library", at: nil, options: nil)
        try stack.coordinator.addPersistentStore(
            ofType: "InMemory", configurationName: "Notes", at: nil,
            options: [MigratePersistentStoresAutomaticallyOption: NSNumber(value: true)])
        let stores = stack.coordinator.persistentStores

        #expect(stores.map(\.configurationName) == ["Library", "Notes"])
    }

    @Test func `in a description is applied or refused when the store is opened`() throws {
        let stack = try LibraryStack()
        let readOnly = PersistentStoreDescription(type: "InMemory")
        readOnly.setOption(NSNumber(value: true), forKey: ReadOnlyPersistentStoreOption)
        let tracking = PersistentStoreDescription()
        tracking.type = InMemoryStoreType
        tracking.setOption(true as NSNumber, forKey: PersistentHistoryTrackingKey)
        let odd = PersistentStoreDescription(type: "InMemory")
        odd.setOption(Progress(totalUnitCount: 1), forKey: "odd")

        // A store opened for reading only is never created.
        #expect {
            try stack.coordinator.addPersistentStore(with: readOnly)
        } throws: { error in
            if case GraphError.store(.notFound) = error { true } else { false }
        }
        #expect {
            try stack.coordinator.addPersistentStore(with: tracking)
        } throws: { error in
            "\(error)".contains("NSPersistentHistoryTrackingKey")
        }
        #expect {
            try stack.coordinator.addPersistentStore(with: odd)
        } throws: { error in
            "\(error)".contains("odd")
        }
    }

    @Test func `for a pragma is passed to the engine`() {
        let description = PersistentStoreDescription()

        description.setValue("NORMAL" as NSString, forPragmaNamed: "synchronous")
        description.setValue("WAL" as NSString, forPragmaNamed: "journal_mode")
        description.setValue(nil, forPragmaNamed: "journal_mode")

        #expect(
            description.options["NSSQLitePragmasOption"]
                == .dictionary(["synchronous": "NORMAL"]))
    }
}

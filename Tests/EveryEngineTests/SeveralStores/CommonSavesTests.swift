import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import InMemoryLogging
import Logging
import Testing

/// Stores that were saved together, and of which one was restored alone.
@Suite struct `Stores that do not belong together` {
    private static let combinations: [[StoreType]] = [
        ["SQLite", "LMDB"], ["Binary", "SQLite"], ["XML", "LMDB"],
    ]

    /// Opens the stores, and returns the warnings about them.
    private func warnings(
        _ types: [StoreType], in folder: TemporaryFolder, options: StoreOptions = [:]
    ) throws -> [String] {
        let log = InMemoryLogHandler()
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ItemStack.entities))
        coordinator.monitoring.logger = Logger(label: "test") { _ in log }
        for (index, type) in types.enumerated() {
            try coordinator.addPersistentStore(
                ofType: type, at: folder.file("items\(index).store"), options: options)
        }
        return log.entries.filter { $0.level == .warning }.map { "\($0.metadata["stores"] ?? "")" }
    }

    private func save(_ name: String, _ types: [StoreType], in folder: TemporaryFolder) throws {
        let stack = try SeveralStack(types, in: folder)
        try stack.inContext { context in
            for store in stack.stores { try context.insertItem(name, in: store) }
            try context.save()
        }
        try stack.close()
    }

    /// Backs up all stores, makes two saves to all of them, and restores one of the stores.
    private func restoreAlone(_ index: Int, _ types: [StoreType]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["1", "2"] { try save(name, types, in: folder) }
        let stack = try SeveralStack(types, in: folder)
        try stack.coordinator.backUp(to: folder.file("backup"))
        try stack.close()
        for name in ["3", "4"] { try save(name, types, in: folder) }
        let store = "items\(index).store"
        try stack.coordinator.replacePersistentStore(
            at: folder.file(store),
            withPersistentStoreFrom: folder.file("backup").appending(path: store),
            type: types[index])
        return folder
    }

    @Test(arguments: combinations)
    func `are reported, with the older one and the number of saves that it lacks`(
        _ types: [StoreType]
    ) throws {
        for index in 0..<2 {
            let folder = try restoreAlone(index, types)

            let found = try warnings(types, in: folder)
            let readOnly = try warnings(types, in: folder, options: [.readOnly: true])

            #expect(found.count == 1)
            #expect(
                found.first?.contains(
                    "items\(index).store is older than \(folder.file("items\(1 - index).store").path): it lacks the last 2 of"
                )
                    == true, "\(found)")
            #expect(readOnly == found)
        }
    }

    @Test(arguments: combinations)
    func `are not reported after all were restored, or saved together again`(
        _ types: [StoreType]
    ) throws {
        let folder = try restoreAlone(1, types)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ItemStack.entities))
        let alone = try warnings(types, in: folder)
        try save("5", types, in: folder)
        let savedAgain = try warnings(types, in: folder)
        try coordinator.restore(fromBackup: folder.file("backup"))
        let restored = try warnings(types, in: folder)

        #expect(alone.count == 1)
        #expect(savedAgain == [])
        #expect(restored == [])
    }

    @Test(arguments: combinations)
    func `are not reported because of saves to one of them, or of stores that share no save`(
        _ types: [StoreType]
    ) throws {
        let folder = try TemporaryFolder()
        try save("1", types, in: folder)
        let stack = try SeveralStack(types, in: folder)
        for (index, store) in stack.stores.enumerated() {
            try stack.inContext { context in
                for _ in 0..<3 {
                    try context.insertItem("own \(index)", in: store)
                    try context.save()
                }
            }
        }
        let records = try stack.stores.flatMap { store in
            try store.metadata().values.keys.filter { $0.hasPrefix("CairnSavedWith-") }
        }
        let shown = try stack.stores.flatMap { store in
            try stack.coordinator.metadata(for: store).values.keys
                .filter { $0.hasPrefix("CairnSavedWith-") }
        }
        try stack.close()

        let found = try warnings(types, in: folder)
        try FileManager.default.removeItem(at: folder.file("items1.store"))
        let withNew = try warnings(types, in: folder)

        #expect(records.count == 2)
        #expect(shown == [])
        #expect(found == [])
        #expect(withNew == [])
    }
}

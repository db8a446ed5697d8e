import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@testable import CairnStack

/// Which cached rows survive the saves of others.
@Suite struct `The row cache of a store with a history` {
    /// Opens a coordinator for a store with items.
    private func coordinator(
        _ type: StoreType, _ folder: TemporaryFolder, options: StoreOptions
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ItemStack.entities))
        try coordinator.addPersistentStore(
            ofType: type, at: folder.file("items.store"), options: options)
        return coordinator
    }

    private func insert(_ names: [String], _ coordinator: PersistentStoreCoordinator) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for name in names { _ = try context.insert("Item", ["name": name]) }
            try context.save()
        }
    }

    private func ids(
        _ coordinator: PersistentStoreCoordinator, where format: String = "TRUEPREDICATE"
    ) throws -> [ObjectID] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>("Item", where: format)).map(\.objectID)
        }
    }

    /// Reads the newest state and returns how many rows the cache then has.
    private func cachedCount(
        _ ids: [ObjectID], _ coordinator: PersistentStoreCoordinator
    ) throws -> Int {
        _ = try self.ids(coordinator, where: "FALSEPREDICATE")
        let cache = coordinator.attachedStores[0].rowCache
        return ids.count { cache.row(for: $0) != nil }
    }

    @Test(arguments: everyFileEngine, [StoreOptions(), [.tracksHistory: true]])
    func `loses only the rows that others have changed`(
        _ type: StoreType, _ options: StoreOptions
    ) throws {
        let folder = try TemporaryFolder()
        let saving = try coordinator(type, folder, options: options)
        try insert((0..<200).map { "\($0)" }, saving)
        let reading = try coordinator(type, folder, options: options)
        let all = try ids(reading)
        #expect(all.count == 200)
        #expect(try cachedCount(all, reading) == 200)

        for name in ["a", "b", "c"] {
            try ContextHandle(coordinator: saving).performAndWait { context in
                let item = try context.only("Item", where: "name == '\(name)' OR name == '7'")
                try item.setValue(name == "c" ? "c" : "7", forKey: "name")
                try context.save()
            }
        }
        let left = try cachedCount(all, reading)
        let found = try ids(reading, where: "name == 'c'").count

        #expect(left == (options.isEmpty ? 0 : 199))
        #expect(found == 1)
    }
}

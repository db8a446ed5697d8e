import Cairn
import CairnTestSupport
import CairnTesting
import Foundation

/// A stack over several stores of different engines, each of which takes every entity of `ItemStack`.
package final class SeveralStack: Sendable {
    package static let combinations: [[StoreType]] = [
        ["SQLite", "LMDB"], ["LMDB", "XML"], ["SQLite", "SQLite", "Binary"],
        ["SQLite", "InMemory"], ["LMDB", "Binary", "InMemory"],
    ]
    /// Those with more than one store that is a file: their saves have a journal.
    package static let journaled = combinations.filter { $0.count { $0 != .inMemory } > 1 }

    package let folder: TemporaryFolder
    package let types: [StoreType]
    package let coordinator: PersistentStoreCoordinator
    /// In the order of the types, in whichever order they were added.
    package let stores: [any PersistentStore]
    /// Of each store, in the order of the types.
    package let faults: [StoreFaults]

    /// Opens or makes the stores.
    ///
    /// - Parameters:
    ///   - folder: where the files are. `nil` means a new one.
    ///   - order: in which the stores are added, by their indexes. `nil`: that of the types.
    package init(
        _ types: [StoreType], in folder: TemporaryFolder? = nil, order: [Int]? = nil
    ) throws {
        self.types = types
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        let faults = types.map { _ in StoreFaults() }
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ItemStack.entities),
            registry: .builtIn.injectingFaults())
        var stores: [Int: any PersistentStore] = [:]
        for index in order ?? Array(types.indices) {
            stores[index] = try coordinator.addPersistentStore(
                ofType: types[index], at: Self.url(index, types[index], folder),
                options: faults[index].options)
        }
        self.coordinator = coordinator
        self.faults = faults
        self.stores = types.indices.compactMap { stores[$0] }
    }

    private static func url(_ index: Int, _ type: StoreType, _ folder: TemporaryFolder) -> URL? {
        type == .inMemory ? nil : folder.file("items\(index).store")
    }

    package func url(_ index: Int) throws -> URL {
        struct InMemory: Error {}
        guard let url = Self.url(index, types[index], folder) else { throw InMemory() }
        return url
    }

    /// The file that says that a save of the store is not finished.
    package func pendingFile(_ index: Int) throws -> URL {
        try url(index).deletingLastPathComponent().appending(path: "items\(index).store-pending")
    }

    /// The journal of an unfinished save.
    package func journal() throws -> URL {
        struct NoJournal: Error {}
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        guard let name = names.first(where: { $0.contains("-pending-") }) else { throw NoJournal() }
        return folder.file(name)
    }

    /// The indexes of the stores whose failing commit leaves a save pending: in a save with a journal all,
    /// and otherwise those in memory, which commit last.
    package var pendingOnes: [Int] {
        types.indices.filter { files.count > 1 || types[$0] == .inMemory }
    }

    /// The indexes of the stores that are files.
    package var files: [Int] { types.indices.filter { types[$0] != .inMemory } }

    @discardableResult
    package func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(permuting: coordinator).performAndWait(body)
    }

    /// Saves an item in each store, in one save: its name is the store's index, `a` is 1.
    package func fill() throws {
        try inContext { [stores] context in
            for (index, store) in stores.enumerated() {
                try context.insertItem("\(index)", in: store)
            }
            try context.save()
        }
    }

    /// The names and the values of `a` of all items, as a new context fetches them.
    package func items() throws -> [String] {
        try inContext { try $0.items() }
    }

    package func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

extension ManagedObjectContext {
    @discardableResult
    package func insertItem(
        _ name: String, a: Int64 = 1, in store: any PersistentStore
    ) throws -> ManagedObject {
        let item = try insertNewObject(forEntityName: "Item")
        try item.setValue(name, forKey: "name")
        try item.setValue(a, forKey: "a")
        try assign(item, to: store)
        return item
    }

    /// The names and the values of `a` of all items, in the order of names.
    package func items(limit: Int = 0, offset: Int = 0) throws -> [String] {
        var request = FetchRequest<ManagedObject>("Item")
        request.sortDescriptors = [FetchSortDescriptor("name")]
        request.fetchLimit = limit
        request.fetchOffset = offset
        return try fetch(request).map { item in
            "\(try item.value(forKey: "name") as? String ?? "")"
                + "=\(try item.value(forKey: "a") as? Int64 ?? -1)"
        }
    }

    /// Sets `a` of every item.
    package func setAll(_ a: Int64) throws {
        for item in try fetch(FetchRequest<ManagedObject>("Item")) {
            try item.setValue(a, forKey: "a")
        }
    }
}

/// What a body throws. `nil` if it throws nothing.
package func graphError(_ body: () throws -> Void) throws -> GraphError? {
    do {
        try body()
        return nil
    } catch let error as GraphError {
        return error
    }
}

extension GraphError {
    /// Whether a save has taken place and is not finished.
    package var isPending: Bool {
        switch self {
        case .savePending, .store(.savePending): true
        default: false
        }
    }
}

import Cairn
import CairnTestSupport
import CairnTesting
import Foundation

/// A stack with several stores of different engines. Each store accepts every entity of `ItemStack`.
package final class SeveralStack: Sendable {
    package static let combinations: [[StoreType]] = [
        ["SQLite", "LMDB"], ["LMDB", "XML"], ["SQLite", "SQLite", "Binary"],
        ["SQLite", "InMemory"], ["LMDB", "Binary", "InMemory"],
    ]
    /// The combinations with more than one file. Their saves have a journal.
    package static let journaled = combinations.filter { $0.count { $0 != .inMemory } > 1 }

    package let folder: TemporaryFolder
    package let types: [StoreType]
    package let coordinator: PersistentStoreCoordinator
    /// The stores in the order of `types`, regardless of the order in which they were added.
    package let stores: [any PersistentStore]
    /// The faults of each store, in the order of `types`.
    package let faults: [StoreFaults]

    /// Opens the stores, or creates them.
    ///
    /// - Parameters:
    ///   - folder: The folder of the files. `nil` means a new folder.
    ///   - order: The indices of the stores in the order in which they are added. `nil` means the order of
    ///     `types`.
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
        folder.url(of: type, "items\(index).store")
    }

    package func url(_ index: Int) throws -> URL {
        struct InMemory: Error {}
        guard let url = Self.url(index, types[index], folder) else { throw InMemory() }
        return url
    }

    /// Returns the file that marks a save of the store as unfinished.
    package func pendingFile(_ index: Int) throws -> URL {
        try url(index).deletingLastPathComponent().appending(path: "items\(index).store-pending")
    }

    /// Returns the journal of an unfinished save.
    package func journal() throws -> URL {
        struct NoJournal: Error {}
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        guard let name = names.first(where: { $0.contains("-pending-") }) else { throw NoJournal() }
        return folder.file(name)
    }

    /// The indices of the stores that leave a save pending if their commit fails. If the save has a journal,
    /// these are all stores. Otherwise, they are the stores in memory, which commit last.
    package var pendingOnes: [Int] {
        types.indices.filter { files.count > 1 || types[$0] == .inMemory }
    }

    /// The indices of the stores that are files.
    package var files: [Int] { types.indices.filter { types[$0] != .inMemory } }

    @discardableResult
    package func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    /// Inserts an item in each store and saves them in one save. The name of the item is the store's index,
    /// and `a` is 1.
    package func fill() throws {
        try inContext { [stores] context in
            for (index, store) in stores.enumerated() {
                try context.insertItem("\(index)", in: store)
            }
            try context.save()
        }
    }

    /// Returns the names of all items and their values of `a`, as a new context fetches them.
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

    /// Returns the names of all items and their values of `a`, sorted by name.
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

/// Returns the graph error that a body throws. Returns `nil` if the body throws nothing.
package func graphError(_ body: () throws -> Void) throws -> GraphError? {
    do {
        try body()
        return nil
    } catch let error as GraphError {
        return error
    }
}

extension GraphError {
    /// Whether the error says that a save has taken place but is not finished.
    package var isPending: Bool {
        switch self {
        case .savePending, .store(.savePending): true
        default: false
        }
    }
}

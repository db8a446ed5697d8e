import Cairn
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport

/// Two stores of one graph. Both contain items of a shop, and the second contains orders.
///
/// Each save adds an item to both stores. A save can be left unfinished, so that only the first store has its
/// item.
struct TwoStores {
    let folder: TemporaryFolder
    let first: URL
    let second: URL
    private let types: [StoreType]

    static let entities = [
        EntityDescription("Item", [.attribute("name", .string), .attribute("price", .integer64)]),
        EntityDescription(
            "Order", [.attribute("count", .integer64), .toOne("buyer", "Buyer", inverse: "orders")]),
        EntityDescription(
            "Buyer", [.attribute("name", .string), .toMany("orders", "Order", inverse: "buyer")]),
    ]
    static let compiled = Result { try ManagedObjectModel(entities) }

    /// Creates the stores, with one save to both.
    init(
        _ first: StoreType = .sqlite, _ second: StoreType = .binary,
        names: (String, String) = ("first", "second")
    ) throws {
        folder = try TemporaryFolder()
        self.first = folder.file(names.0)
        self.second = folder.file(names.1)
        types = [first, second]
        let coordinator = try coordinator()
        try save(1, to: coordinator)
        try coordinator.removeAll()
    }

    /// Makes a second save, which fails in the second store.
    func interruptSave() throws {
        let faults = StoreFaults()
        let coordinator = try coordinator(faultsOfSecond: faults)
        faults.fillDisk(at: .commit)
        do {
            try save(2, to: coordinator)
        } catch GraphError.savePending {
            try coordinator.removeAll()
            return
        }
        throw ToolTestFailure("the save is not pending")
    }

    /// Returns the journal of the save, which is next to one of the stores.
    func journal() throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        guard let name = names.first(where: { $0.contains("-pending-") }) else {
            throw ToolTestFailure("there is no journal")
        }
        return folder.file(name)
    }

    /// Returns the names and contents of all files in the folder.
    func content() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        return Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: folder.file($0))) })
    }

    private func coordinator(
        faultsOfSecond faults: StoreFaults? = nil
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try Self.compiled.get(), registry: .builtIn.injectingFaults())
        try coordinator.addPersistentStore(ofType: types[0], at: first)
        try coordinator.addPersistentStore(
            ofType: types[1], at: second, options: faults?.options ?? [:])
        return coordinator
    }

    private func save(_ number: Int, to coordinator: PersistentStoreCoordinator) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for (index, store) in coordinator.persistentStores.enumerated() {
                let item = try context.insertNewObject(forEntityName: "Item")
                try item.setValue("item \(number).\(index + 1)", forKey: "name")
                try item.setValue(10 * number + 5 * index, forKey: "price")
                try context.assign(item, to: store)
            }
            let order = try context.insertNewObject(forEntityName: "Order")
            let buyer = try context.insertNewObject(forEntityName: "Buyer")
            for object in [order, buyer] {
                try context.assign(object, to: coordinator.persistentStores[1])
            }
            try order.setValue(buyer, forKey: "buyer")
            try order.setValue(number, forKey: "count")
            try context.save()
        }
    }
}

extension PersistentStoreCoordinator {
    /// Removes all stores, which closes them.
    func removeAll() throws {
        for store in persistentStores { try remove(store) }
    }
}

/// The error of a test that could not be set up.
struct ToolTestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

import Cairn
import CairnTestSupport
import Foundation
import GraphSupport

/// A stack of stores that keep a history, with people, teams and tags.
struct HistoryStack {
    let folder: TemporaryFolder
    let coordinator: PersistentStoreCoordinator

    /// Opens stores, or creates them.
    ///
    /// - Parameter name: A prefix of the names of the files.
    init(
        _ types: [StoreType], in folder: TemporaryFolder? = nil, named name: String = "store",
        options: StoreOptions = [.tracksHistory: true], registry: StoreRegistry = .builtIn
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(PeopleModel.entities), registry: registry)
        for (index, type) in types.enumerated() {
            try coordinator.addPersistentStore(
                ofType: type, at: self.folder.url(of: type, "\(name)\(index).store"),
                options: options)
        }
    }

    func url(_ index: Int = 0, _ name: String = "store") -> URL {
        folder.file("\(name)\(index).store")
    }

    /// Calls the body with a new context, and saves.
    func save(
        author: String? = nil, named name: String? = nil,
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try ContextHandle(coordinator: coordinator, name: name).performAndWait { context in
            context.transactionAuthor = author
            try body(context)
            try context.save()
        }
    }

    /// Inserts a person with a name, in the first store.
    func insertPerson(_ name: String) throws {
        try save { context in _ = try context.insert("Person", ["name": name]) }
    }

    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Describes the changes of transactions in short words, such as “insert Person”.
    func words(_ transactions: [PersistentHistoryTransaction]) -> [[String]] {
        transactions.map { transaction in
            transaction.changes.map { change in
                let number = change.changedObjectID.entity
                let entity = coordinator.managedObjectModel.entity(numbered: number)?.name ?? ""
                let names = change.updatedProperties.sorted().joined(separator: ",")
                return "\(change.changeType) \(entity)" + (names.isEmpty ? "" : " \(names)")
            }
        }
    }
}

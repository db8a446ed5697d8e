import Cairn
import CairnTestSupport

/// A store that successive sequences share, because opening a store costs as much as half a sequence. Topics are
/// in a second store.
package final class NoteStore {
    private let type: StoreType
    private let folder: TemporaryFolder
    private(set) package var coordinator: PersistentStoreCoordinator

    package init(_ type: StoreType) throws {
        self.type = type
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(managedObjectModel: RealWorld.model)
        try open()
    }

    private func open() throws {
        for name in ["Notes", "Topics"] {
            let url = folder.url(of: type, "\(name).store")
            // Of the stores of a server, only one can take part in a save.
            let isSecond = name == "Topics" && url?.isFileURL == false
            try coordinator.addPersistentStore(
                ofType: isSecond ? .sqlite : type, configurationName: name,
                at: isSecond ? folder.file("\(name).store") : url)
        }
    }

    /// Closes the store and opens it with a new coordinator. Has no effect on a store without a file.
    package func reopen() throws {
        guard type != .inMemory else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        coordinator = PersistentStoreCoordinator(managedObjectModel: RealWorld.model)
        try open()
    }

    /// Runs the body in a turn of a new context.
    @discardableResult
    package func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    /// Deletes all objects.
    package func empty() throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for object in try context.fetch(FetchRequest<ManagedObject>("Item")) {
                try context.delete(object)
            }
            try context.save()
        }
    }
}

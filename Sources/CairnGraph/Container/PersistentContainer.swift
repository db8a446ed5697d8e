import CairnModel
import CairnStore
import CairnThreads
import Dispatch
import Foundation
import Synchronization

/// A stack ready to use: model, coordinator, stores, and the context for the user interface.
///
/// ```swift
/// let container = try PersistentContainer(name: "Library")
/// try await container.loadPersistentStores()
/// let context = container.viewContext
/// ```
///
/// Safe from any thread, ``viewContext`` from the main actor.
public final class PersistentContainer: Sendable {
    /// The container's name: the model's, and the file name of the default store.
    public let name: String
    /// Where the container's stores are opened and all of its contexts read and save. Has no store
    /// before one is loaded.
    public let persistentStoreCoordinator: PersistentStoreCoordinator

    /// The Swift classes of the model's entities, for every context of the container.
    public let objectClasses: ObjectClasses

    /// `nil` until they are set or asked for: who sets them does not wait for the look for the default
    /// directory.
    private let descriptions = Mutex<[PersistentStoreDescription]?>(nil)
    private let directory: URL?
    /// A handle, because the last reference to a container may go anywhere, and the context must
    /// end on the main queue.
    @MainActor var viewContextHandle: ContextHandle?

    /// Makes a container of a model at hand.
    ///
    /// - Parameters:
    ///   - registry: the engines to open stores with.
    ///   - classes: of the model's entities.
    ///   - directory: where the default store's file is; it is made when stores are loaded. `nil` means
    ///     ``defaultDirectoryURL()``.
    ///   - executor: the threads of contexts' turns.
    public init(
        name: String, managedObjectModel model: ManagedObjectModel, registry: StoreRegistry,
        classes: ObjectClasses = ObjectClasses(),
        directory: URL? = nil,
        executor: TurnExecutor = TurnExecutor()
    ) {
        self.name = name
        objectClasses = classes
        persistentStoreCoordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: registry, executor: executor)
        self.directory = directory
    }

    /// Makes a container of a model found by name.
    ///
    /// - Parameter findModel: returns the model of that name.
    /// - Throws: `.model`: what `findModel` throws, such as `.notFound` with the places searched.
    public convenience init(
        name: String, registry: StoreRegistry, classes: ObjectClasses = ObjectClasses(),
        directory: URL? = nil,
        executor: TurnExecutor = TurnExecutor(),
        findingModelWith findModel: (String) throws(ModelError) -> ManagedObjectModel
    ) throws(GraphError) {
        let model: ManagedObjectModel
        do {
            model = try findModel(name)
        } catch {
            throw .model(error)
        }
        self.init(
            name: name, managedObjectModel: model, registry: registry, classes: classes,
            directory: directory, executor: executor)
    }

    /// The model that the container was made with; its coordinator's.
    public var managedObjectModel: ManagedObjectModel {
        persistentStoreCoordinator.managedObjectModel
    }

    /// The threads that tasks have turns of the container's contexts on; its coordinator's. A task that
    /// prefers it enters contexts without changing the thread.
    public var executor: TurnExecutor { persistentStoreCoordinator.executor }

    /// The stores to load. Until it is set: one of type `"SQLite"`, `<name>.sqlite` in the
    /// container's directory.
    public var persistentStoreDescriptions: [PersistentStoreDescription] {
        get {
            descriptions.withLock { descriptions in
                let known = descriptions ?? [defaultDescription]
                descriptions = known
                return known
            }
        }
        set { descriptions.withLock { $0 = newValue } }
    }

    private var defaultDescription: PersistentStoreDescription {
        let file = (directory ?? Self.defaultDirectoryURL()).appendingPathComponent(name)
        return PersistentStoreDescription(
            type: "SQLite", url: file.appendingPathExtension("sqlite"))
    }

    /// Where containers keep their stores unless told otherwise: the program's own folder in the
    /// user's folder for application data (`~/.local/share/<program>` on Linux).
    public static func defaultDirectoryURL() -> URL {
        let folders = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        let base = folders.first ?? FileManager.default.homeDirectoryForCurrentUser
        return base.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
    }
}

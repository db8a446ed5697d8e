import CairnModel
import CairnStore
import CairnThreads
import Dispatch
import Foundation
import Synchronization

/// A complete stack: a model, a coordinator, stores, and the context for the user interface.
///
/// ```swift
/// let container = try PersistentContainer(name: "Library")
/// try await container.loadPersistentStores()
/// let context = container.viewContext
/// ```
///
/// A container can be used from any thread, and its ``viewContext`` from the main actor.
public final class PersistentContainer: Sendable {
    /// The container's name. It is the name of the model and of the default store's file.
    public let name: String
    /// The coordinator that opens the container's stores, and that all of its contexts use. It has no
    /// store until one is loaded.
    public let persistentStoreCoordinator: PersistentStoreCoordinator

    /// The Swift classes of the model's entities, for every context of the container.
    public let objectClasses: ObjectClasses

    /// The descriptions, or `nil` before they are set or read. Setting them does not wait for the
    /// search for the default directory.
    private let descriptions = Mutex<[PersistentStoreDescription]?>(nil)
    private let directory: URL?
    /// A handle, because the last reference to a container may be released on any thread, and the
    /// context must be deallocated on the main queue.
    @MainActor var viewContextHandle: ContextHandle?

    /// Creates a container for a model.
    ///
    /// - Parameters:
    ///   - registry: the engines to open stores with.
    ///   - classes: the classes of the model's entities.
    ///   - directory: the directory of the default store's file. It is created when stores are loaded.
    ///     `nil` means ``defaultDirectoryURL()``.
    ///   - executor: provides the threads for the contexts' turns.
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

    /// Creates a container for a model that is found by name.
    ///
    /// - Parameter findModel: returns the model with a name.
    /// - Throws: `.model` with the error of `findModel`, such as `.notFound` with the locations that
    ///   were searched.
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

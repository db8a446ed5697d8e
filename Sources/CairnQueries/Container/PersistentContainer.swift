import CairnModel
import CairnObjects
import CairnStack
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
    /// The container's name. It is also the name of the model and of the default store's file.
    public let name: String
    /// The coordinator of all of the container's contexts. It opens the container's stores, and has no
    /// store until one is loaded.
    public let persistentStoreCoordinator: PersistentStoreCoordinator

    /// The Swift classes of the model's entities. They apply to every context of the container.
    package let objectClasses: ObjectClasses

    /// The store descriptions, or `nil` until they are first read or set.
    private let descriptions = Mutex<[PersistentStoreDescription]?>(nil)
    private let givenDirectory: URL?
    /// The reason that the model was not found.
    package let modelFailure: GraphError?
    /// Held through a handle, because the last reference to a container may be released on any thread,
    /// but the context must be deallocated on the main queue.
    @MainActor var viewContextHandle: ContextHandle?

    /// Creates a container for a model.
    ///
    /// - Parameters:
    ///   - name: The name of the container, and of the default store's file.
    ///   - model: The model of the stores.
    ///   - registry: The engines that can open stores.
    ///   - classes: The Swift classes of the model's entities.
    ///   - directory: The directory of the default store's file. It is created when stores are loaded.
    ///     If `nil`, ``defaultDirectoryURL()`` is used.
    ///   - executor: The provider of the threads for the contexts' turns.
    public convenience init(
        name: String, managedObjectModel model: ManagedObjectModel, registry: StoreRegistry,
        classes: ObjectClasses = ObjectClasses(),
        directory: URL? = nil,
        executor: TurnExecutor = TurnExecutor()
    ) {
        self.init(
            name: name, model: .success(model), registry: registry, classes: classes,
            directory: directory, executor: executor)
    }

    /// Creates a container whose model may not have been found. Loading the stores of such a container
    /// reports the failure.
    package convenience init(
        name: String, model: Result<ManagedObjectModel, ModelError>, registry: StoreRegistry,
        classes: ObjectClasses, directory: URL?, executor: TurnExecutor
    ) {
        let failure: GraphError? =
            if case .failure(let error) = model { .model(error) } else { nil }
        self.init(
            name: name,
            persistentStoreCoordinator: PersistentStoreCoordinator(
                managedObjectModel: (try? model.get()) ?? .empty, registry: registry,
                executor: executor), classes: classes, directory: directory,
            modelFailure: failure)
    }

    /// Creates a container of a coordinator, which may have stores already.
    package init(
        name: String, persistentStoreCoordinator: PersistentStoreCoordinator,
        classes: ObjectClasses, directory: URL? = nil, modelFailure: GraphError? = nil
    ) {
        self.name = name
        self.persistentStoreCoordinator = persistentStoreCoordinator
        objectClasses = classes
        givenDirectory = directory
        self.modelFailure = modelFailure
    }

    /// The model that the container was created with, which is also the coordinator's model.
    public var managedObjectModel: ManagedObjectModel {
        persistentStoreCoordinator.managedObjectModel
    }

    /// The executor whose threads run the turns of tasks in the container's contexts. It is the
    /// coordinator's executor. A task that prefers this executor enters contexts without changing
    /// threads.
    public var executor: TurnExecutor { persistentStoreCoordinator.executor }

    /// The stores to load. The default is a single store of type `"SQLite"` in the file `<name>.sqlite`
    /// in the container's directory.
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

    /// The directory of the default store's file.
    var directory: URL { givenDirectory ?? Self.defaultDirectoryURL() }

    private var defaultDescription: PersistentStoreDescription {
        PersistentStoreDescription(
            type: "SQLite",
            url: directory.appendingPathComponent(name).appendingPathExtension("sqlite"))
    }

    /// Returns the default directory for stores: the program's folder in the user's folder for
    /// application data (`~/.local/share/<program>` on Linux).
    public static func defaultDirectoryURL() -> URL {
        let folders = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        let base = folders.first ?? FileManager.default.homeDirectoryForCurrentUser
        return base.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
    }
}

extension PersistentContainer {
    /// The context for the user interface. It belongs to the main queue and is used from the main actor.
    ///
    /// The context is created at the first access; later accesses return the same context.
    @MainActor public var viewContext: ManagedObjectContext {
        if let made = viewContextHandle { return made.mainQueueContext }
        let context = ManagedObjectContext(
            coordinator: persistentStoreCoordinator, classes: objectClasses)
        viewContextHandle = ContextHandle(context)
        return context
    }

    /// Creates a context with a private queue. Use the context through the handle's `perform`.
    public func newBackgroundContext() -> ContextHandle {
        ContextHandle(source: persistentStoreCoordinator, classes: objectClasses)
    }

    /// Runs a closure with a new context that has a private queue, and returns the closure's result: a
    /// `Sendable` value, such as an ID, a number or a snapshot.
    ///
    /// The context ends when the closure returns. Unsaved changes are discarded.
    ///
    /// - Throws: The error that `body` throws.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext().perform(body)
    }

    /// Runs a closure with a new context that has a private queue. The same as ``perform(_:)``, under
    /// Core Data's name.
    ///
    /// - Throws: The error that `body` throws.
    public func performBackgroundTask<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await newBackgroundContext().perform(body)
    }

    /// Runs a closure with a new context that has a private queue, on a thread of the coordinator's
    /// executor.
    ///
    /// Returns immediately. The context ends when the closure returns, and unsaved changes are
    /// discarded. The closures of several calls may run at the same time.
    public func performBackgroundTask(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
        newBackgroundContext().perform(body)
    }
}

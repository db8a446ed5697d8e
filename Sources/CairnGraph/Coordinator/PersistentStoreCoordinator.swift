import CairnModel
import CairnSaveJournal
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// Brings a model and the stores of its objects together, for contexts to work with.
///
/// Each store holds the entities of one configuration of the model. To contexts all stores are one:
/// a fetch reads from every store that may hold a match, a save is split among them.
///
/// ```swift
/// let coordinator = PersistentStoreCoordinator(managedObjectModel: model, registry: registry)
/// try coordinator.addPersistentStore(ofType: "SQLite", at: url)
/// ```
///
/// Safe from any thread. Adding a slow store keeps no one from using the others.
public final class PersistentStoreCoordinator: Sendable {
    /// The model whose objects all of the stores hold; one for the coordinator's whole life.
    public let managedObjectModel: ManagedObjectModel
    /// The engines that stores are opened with.
    public let registry: StoreRegistry
    /// The threads that tasks have turns of the coordinator's contexts on.
    public let executor: TurnExecutor
    package let layouts: RowLayouts
    let journalModel: JournalModel
    package let temporarySpace: StoreNumber

    struct State {
        /// In the order in which they were added.
        var stores: [AttachedStore] = []
        /// Where stores are being opened at this moment.
        var opening: Set<StoreLocation> = []
        /// Finds the versions of the model that the program has.
        var history: @Sendable () throws(ModelError) -> ModelHistory = { () throws(ModelError) in
            ModelHistory()
        }
        /// What is released after the stores were closed.
        var held: [any AnyObject & Sendable] = []
    }

    let state = Mutex(State())
    let commitGate = CommitGate()
    let contexts = ContextFeed()
    package let parallelReading: ParallelReading

    /// - Parameters:
    ///   - model: whose objects the stores will hold.
    ///   - registry: the engines to open stores with.
    ///   - executor: the threads of contexts' turns; coordinators may share one.
    public init(
        managedObjectModel model: ManagedObjectModel, registry: StoreRegistry,
        executor: TurnExecutor = TurnExecutor()
    ) {
        managedObjectModel = model
        self.registry = registry
        self.executor = executor
        parallelReading = ParallelReading(on: executor)
        layouts = RowLayouts(model)
        journalModel = JournalModel(layouts)
        temporarySpace = StoreDirectory.shared.temporarySpace(model: model)
    }

    deinit {
        for attached in state.withLock({ $0.stores }) {
            attached.watch?.end()
            attached.recentSnapshots.forgetAll()
            // Nothing is left that could handle an error. The store is closed even if `close` throws.
            try? attached.store.close()
        }
    }

    /// Registers an engine for every registry of the process, including registries that already exist.
    ///
    /// - Parameter type: the string that users select the engine by. `nil` means the engine's own type.
    public static func registerStoreClass(
        _ engine: any PersistentStore.Type, type: StoreType? = nil
    ) {
        StoreRegistry.registerProcessWide(engine, type: type)
    }

    /// Holds an object, such as a temporary folder of stores, until the coordinator has closed its stores
    /// and is deallocated.
    package func holdUntilStoresAreClosed(_ object: any AnyObject & Sendable) {
        state.withLock { $0.held.append(object) }
    }

    // MARK: Versions of the model

    /// Sets how to find the versions of the model that the program has. They are searched when a store
    /// must be migrated: to find the version that the store was written with if the store contains no
    /// model, to migrate through intermediate versions, and to find mapping models. A migration that
    /// would lose something when a store is opened takes place only if the store's version is among
    /// them.
    ///
    /// By default, a coordinator knows no versions. A container that found its model by name knows the
    /// versions that are stored with it.
    ///
    /// - Parameter find: returns the versions. Called on the thread that adds the store.
    public func setModelHistory(
        foundBy find: @escaping @Sendable () throws(ModelError) -> ModelHistory
    ) {
        state.withLock { $0.history = find }
    }

    /// Finds the versions of the model that the program has.
    package var history: @Sendable () throws(ModelError) -> ModelHistory {
        state.withLock { $0.history }
    }

    // MARK: Stores

    /// The stores, in the order in which they were added.
    public var persistentStores: [any PersistentStore] { attachedStores.map(\.store) }

    /// Returns the coordinator's store at a URL, or its store in memory that is named by the URL.
    /// Returns `nil` if there is no such store.
    public func persistentStore(for url: URL) -> (any PersistentStore)? {
        var locations = [
            StoreLocation.file(url.resolvedForComparison), .memory(Self.memoryName(of: url)),
        ]
        if let service = ServiceLocation(url) { locations.append(.service(service)) }
        return attachedStores.first { locations.contains($0.location.resolvedForComparison) }?.store
    }

    /// Returns the URL of a store's file. Returns `nil` for a store in memory or of a service.
    public func url(for store: any PersistentStore) -> URL? { store.url }

    /// Returns the store that contains an object. Returns `nil` if the ID is temporary or the store was
    /// removed.
    public func persistentStore(of id: ObjectID) -> (any PersistentStore)? {
        attachedStores.first { $0.number == id.store }?.store
    }

    /// Returns the ID that a URI stands for. Whether the object exists is not checked.
    ///
    /// Returns `nil` for a URL that is no object's URI, for the URI of a temporary ID, and if the store or
    /// the entity is not here. The URI of an object that is identified by a text or a UUID takes some
    /// memory for as long as the process runs, if the process has not seen the object before.
    public func managedObjectID(forURIRepresentation uri: URL) -> ObjectID? {
        guard let parts = ObjectURI(uri),
            let attached = attachedStores.first(where: { $0.identifier == parts.storeIdentifier })
        else { return nil }
        return attached.store.objectID(for: parts)
    }

    var attachedStores: [AttachedStore] { state.withLock { $0.stores } }

    /// Returns what is known of a store of this coordinator.
    ///
    /// - Throws: `.unknownStore`.
    func attached(_ store: any PersistentStore) throws(GraphError) -> AttachedStore {
        guard let found = attachedStores.first(where: { $0.store === store }) else {
            throw .unknownStore("\(store.request.location)")
        }
        return found
    }
}

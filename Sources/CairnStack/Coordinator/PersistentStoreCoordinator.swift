import CairnModel
import CairnRows
import CairnSaveJournal
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// Connects a model with the stores of its objects, for use by contexts.
///
/// Each store holds the entities of one configuration of the model. Contexts see all stores as one: a
/// fetch reads from every store that may contain matches, and a save is split among the stores.
///
/// ```swift
/// let coordinator = PersistentStoreCoordinator(managedObjectModel: model, registry: registry)
/// try coordinator.addPersistentStore(ofType: "SQLite", at: url)
/// ```
///
/// A coordinator can be used from any thread. The other stores can be used while a store is being added.
public final class PersistentStoreCoordinator: Sendable {
    /// The model of the objects in all stores. It never changes.
    public let managedObjectModel: ManagedObjectModel
    /// The engines that can open stores.
    public let registry: StoreRegistry
    /// The executor whose threads run the turns of tasks in the coordinator's contexts.
    public let executor: TurnExecutor
    package let layouts: RowLayouts
    let journalModel: JournalModel
    let referenceRules: ReferenceRules
    package let temporarySpace: StoreNumber

    struct State {
        /// The stores in the order of ``positions``.
        var stores: [AttachedStore] = []
        /// The positions of the stores, and of those that are being opened.
        var positions: [StorePosition] = []
        /// The pinned states. Those that nothing holds any more are removed from time to time.
        var pinnedStates: [WeakPinnedState] = []
        /// The locations of stores that are being opened.
        var opening: Set<StoreLocation> = []
        /// Finds the versions of the model that the program has.
        var history: @Sendable () throws(ModelError) -> ModelHistory = { () throws(ModelError) in
            ModelHistory()
        }
        /// Objects that are released only after the stores have been closed.
        var held: [any AnyObject & Sendable] = []
    }

    let state = Mutex(State())
    let commitGate = CommitGate()
    let contexts = ContextFeed()
    package let monitor = OperationMonitor()
    package let parallelReading: ParallelReading

    /// Creates a coordinator without stores.
    ///
    /// - Parameters:
    ///   - model: The model of the stores' objects.
    ///   - registry: The engines that can open stores.
    ///   - executor: The provider of the threads for the contexts' turns. Several coordinators may share
    ///     an executor.
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
        referenceRules = ReferenceRules(layouts)
        temporarySpace = StoreDirectory.shared.temporarySpace(model: model)
    }

    deinit {
        for attached in state.withLock({ $0.stores }) {
            attached.watch?.end()
            attached.recentSnapshots.forgetAll()
            // An error cannot be handled here. The store is closed even if `close` throws.
            try? attached.store.close()
            monitor.noteClosedStore(attached.location)
        }
    }

    /// Registers an engine in every registry of the process, including registries that already exist.
    ///
    /// - Parameters:
    ///   - engine: The engine, which replaces an engine registered in this way for the same type.
    ///   - type: The string that users select the engine by. `nil` means the engine's own type.
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

    /// Sets the function that finds the versions of the model that the program contains. It is called
    /// when a store must be migrated: to find the version that the store was written with if the store
    /// contains no model, to migrate through intermediate versions, and to find mapping models. If a
    /// migration would lose data when a store is opened, it only takes place if the store's version is
    /// among these versions.
    ///
    /// By default, a coordinator knows no versions. A container that found its model by name knows the
    /// versions that are stored with it.
    ///
    /// - Parameter find: Returns the versions. Called on the thread that adds the store.
    public func setModelHistory(
        foundBy find: @escaping @Sendable () throws(ModelError) -> ModelHistory
    ) {
        state.withLock { $0.history = find }
    }

    /// The function that finds the versions of the model that the program contains.
    package var modelHistory: @Sendable () throws(ModelError) -> ModelHistory {
        state.withLock { $0.history }
    }

    // MARK: Stores

    /// The stores, in the order in which they were added. Stores that a container opened are in the order
    /// of their descriptions, even if one of them was opened later than the others.
    public var persistentStores: [any PersistentStore] { attachedStores.map(\.store) }

    /// Returns the coordinator's store at a URL, or its in-memory store that is named by the URL.
    /// Returns `nil` if there is no such store.
    public func persistentStore(for url: URL) -> (any PersistentStore)? {
        let locations = Self.locations(of: url)
        return attachedStores.first { locations.contains($0.location.resolvedForComparison) }?.store
    }

    /// Returns the locations that a store with this URL may have, resolved for comparison.
    fileprivate static func locations(of url: URL) -> [StoreLocation] {
        var locations = [
            StoreLocation.file(url.resolvedForComparison), .memory(memoryName(of: url)),
        ]
        if let service = ServiceLocation(url) { locations.append(.service(service)) }
        return locations
    }

    /// Returns the URL of a store's file. Returns `nil` if the store is in memory or belongs to a
    /// service.
    public func url(for store: any PersistentStore) -> URL? { store.url }

    /// Returns the store that contains an object. Returns `nil` if the ID is temporary or the store was
    /// removed.
    public func persistentStore(of id: ObjectID) -> (any PersistentStore)? {
        attachedStores.first { $0.number == id.store }?.store
    }

    /// Returns the ID that a URI represents. Does not check whether the object exists.
    ///
    /// Returns `nil` if the URL is not the URI of an object, if the ID is temporary, or if the
    /// coordinator does not have the store or the entity.
    public func managedObjectID(forURIRepresentation uri: URL) -> ObjectID? {
        guard let parts = ObjectURI(uri) else { return nil }
        let stores = attachedStores
        // The second identifier differs only if another coordinator has moved the store.
        let attached =
            stores.first { $0.identifier == parts.storeIdentifier }
            ?? stores.first {
                StoreDirectory.shared.entry(for: $0.number)?.identifier == parts.storeIdentifier
            }
        return attached?.store.objectID(for: parts)
    }

    var attachedStores: [AttachedStore] { state.withLock { $0.stores } }

    /// Returns the attached store for one of this coordinator's stores.
    ///
    /// - Throws: `.unknownStore`.
    func attached(_ store: any PersistentStore) throws(GraphError) -> AttachedStore {
        guard let found = attachedStores.first(where: { $0.store === store }) else {
            throw .unknownStore("\(store.request.location)")
        }
        return found
    }
}

// MARK: Positions of stores

extension PersistentStoreCoordinator {
    /// Reserves positions for the stores of descriptions. A store that is open for a description keeps its
    /// position. The others get positions directly before the next description's store, or after all stores.
    ///
    /// - Returns: A position for each description. Those that no store has taken must be released.
    package func reservePositions(for descriptions: [PersistentStoreDescription]) -> [StorePosition]
    {
        state.withLock { state in
            var positions: [StorePosition] = []
            for description in descriptions.reversed() {
                if let open = state.stores.first(where: { $0.isOpen(for: description) }) {
                    positions.append(open.position)
                    continue
                }
                let position = StorePosition(for: description)
                let next = positions.last.flatMap { next in
                    state.positions.firstIndex { $0 === next }
                }
                state.positions.insert(position, at: next ?? state.positions.endIndex)
                positions.append(position)
            }
            return positions.reversed()
        }
    }

    /// Reserves a position after all stores.
    func reservePosition(for description: PersistentStoreDescription) -> StorePosition {
        let position = StorePosition(for: description)
        state.withLock { $0.positions.append(position) }
        return position
    }

    /// Releases a reserved position. Has no effect if a store has taken the position.
    package func release(_ position: StorePosition) {
        state.withLock { state in
            if !state.stores.contains(where: { $0.position === position }) {
                state.positions.removeAll { $0 === position }
            }
        }
    }

    /// Whether a store has taken a reserved position.
    package func isTaken(_ position: StorePosition) -> Bool {
        attachedStores.contains { $0.position === position }
    }
}

extension PersistentStoreCoordinator.State {
    /// Adds a store at its position. If the position was not reserved, it comes after all others.
    mutating func insert(_ attached: AttachedStore) {
        guard let index = positions.firstIndex(where: { $0 === attached.position }) else {
            positions.append(attached.position)
            return stores.append(attached)
        }
        let next = stores.firstIndex { store in
            positions[index...].contains { $0 === store.position }
        }
        stores.insert(attached, at: next ?? stores.endIndex)
    }
}

extension AttachedStore {
    /// Whether opening a description would open this store again.
    fileprivate func isOpen(for description: PersistentStoreDescription) -> Bool {
        guard store.configurationName == description.configuration,
            isReadOnly == description.isReadOnly
        else { return false }
        guard let url = description.url, !url.isNullDevice else {
            return position.description === description
        }
        return PersistentStoreCoordinator.locations(of: url)
            .contains(location.resolvedForComparison)
    }
}

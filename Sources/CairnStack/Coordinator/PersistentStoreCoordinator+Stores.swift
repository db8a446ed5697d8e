import CairnModel
import CairnStore
import Dispatch
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a store and adds it to the coordinator. A missing store is created, unless
    /// ``CairnStore/StoreOption/createsMissingStore`` is `false`.
    ///
    /// Takes as long as the engine takes to open the store. Other stores can be used in the meantime.
    /// After an error, the coordinator is unchanged.
    ///
    /// Several stores may have the same configuration, and an entity may be in several configurations.
    /// New objects that are not assigned to a store are saved to the first store, in the order of
    /// adding, that accepts them: see ``ManagedObjectContext/assign(_:to:)``.
    ///
    /// - Parameters:
    ///   - type: The engine, such as `"SQLite"` or `"InMemory"`.
    ///   - configuration: The name of the configuration whose entities the store holds. `nil` means all
    ///     entities.
    ///   - url: The store's file, or the address of a service, such as a server, if the engine's stores
    ///     are not files. `nil` and the file `/dev/null` mean a store that exists only in memory. For
    ///     `/dev/null`, an in-memory engine replaces an engine whose stores outlive the process.
    ///   - options: The coordinator's options, such as ``CairnStore/StoreOption/readOnly``, and those of
    ///     the engine.
    /// - Throws: `.store` with `.unknownType` or the error of the engine, such as `.modelMismatch`;
    ///   `.model(.unknownConfiguration)`; `.storeAlreadyAdded`, even if the path is written differently;
    ///   `.storeIdentifierTaken`; `.storeNeedsFileURL`, `.storeNeedsServiceURL`; `.openingCancelled` if
    ///   the task was cancelled while the engine waited for a lock.
    @discardableResult
    public func addPersistentStore(
        ofType type: StoreType, configurationName configuration: String? = nil,
        at url: URL? = nil, options: StoreOptions = [:]
    ) throws(GraphError) -> any PersistentStore {
        try addStore(
            ofType: type, configurationName: configuration, at: url, options: options,
            position: StorePosition())
    }

    /// Opens a store and adds it at a position. Otherwise the same as
    /// ``addPersistentStore(ofType:configurationName:at:options:)``.
    func addStore(
        ofType type: StoreType, configurationName configuration: String?, at url: URL?,
        options: StoreOptions, position: StorePosition
    ) throws(GraphError) -> any PersistentStore {
        try addStore(openedBy: opener(type, configuration, url, options), at: position)
    }

    func addStore(
        openedBy opener: StoreOpener, at position: StorePosition
    ) throws(GraphError) -> any PersistentStore {
        let resolvedLocation = try beginOpening(opener.request.location)
        defer { endOpening(resolvedLocation) }
        return try measureOpening(opener) { () throws(GraphError) in
            let opened = try opener.open()
            try add(opened, opener.options, at: position)
            return opened.store
        }
    }

    /// Reports how long a closure takes that opens a store.
    func measureOpening<Result>(
        _ opener: StoreOpener, _ body: () throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        try monitor.measure(
            .open,
            ["type": "\(opener.type.rawValue)", "store": "\(opener.request.location)"], body)
    }

    /// Adds a store that was opened with these options. Closes the store if it cannot be added.
    ///
    /// - Throws: `.storeIdentifierTaken`. If changes of the store are reported, also the errors of
    ///   reading the store's state.
    func add(
        _ opened: OpenedStore, _ options: CoordinatorOptions, at position: StorePosition
    ) throws(GraphError) {
        let store = opened.store
        do {
            let (attached, generation) = try attachable(opened, options, at: position)
            announceStoresWillChange(added: [store])
            try attach(attached)
            if let generation { watch(attached, after: generation) }
        } catch {
            try? store.close()
            throw error
        }
        monitor.noteOpenedStore()
        if let attached = try? attached(store) {
            checkCommonSaves(of: attached)
            attached.purgeHistoryBeyondLimits()
        }
        announceStoresDidChange(added: [store])
    }

    /// Returns the coordinator's view of an open store. Also returns the state after which new states
    /// are reported, or `nil` if they are not reported.
    ///
    /// - Throws: `.store`, `.openingCancelled`.
    func attachable(
        _ opened: OpenedStore, _ options: CoordinatorOptions, at position: StorePosition
    ) throws(GraphError) -> (AttachedStore, StoreGeneration?) {
        do {
            let attached = try AttachedStore(
                opened, at: position,
                recovery: registry.recovery(
                    for: opened.store.request, options, monitor, among: openStores),
                postsRemoteChanges: options.postsRemoteChanges,
                historyLimits: options.historyLimits)
            return (attached, try attached.newestGenerationToWatch())
        } catch {
            throw GraphError(ofOpening: error)
        }
    }

    /// Returns an opener for a store with the parameters of
    /// ``addPersistentStore(ofType:configurationName:at:options:)``.
    func opener(
        _ type: StoreType, _ configuration: String?, _ url: URL?, _ options: StoreOptions
    ) throws(GraphError) -> StoreOpener {
        let engine: any PersistentStore.Type
        let own: CoordinatorOptions
        do {
            engine = try self.engine(ofType: type, at: url)
            own = try CoordinatorOptions(options)
        } catch {
            throw GraphError(ofStore: error)
        }
        let location = try Self.location(url, for: engine, named: type)
        return StoreOpener(
            engine: engine, type: type, request: try openRequest(location, configuration, own),
            registry: registry, options: own, monitor: monitor, openStores: openStores,
            history: modelHistory)
    }

    /// Returns the stores at a later moment, or none if the coordinator is gone then.
    private var openStores: @Sendable () -> [any PersistentStore] {
        { [weak self] in self?.persistentStores ?? [] }
    }

    /// Opens a store on a background thread and adds it. See
    /// ``addPersistentStore(ofType:configurationName:at:options:)``.
    ///
    /// - Throws: The same errors; `.openingCancelled` is also thrown if the task was cancelled before the
    ///   store was opened.
    @discardableResult
    public func addPersistentStore(
        ofType type: StoreType, configurationName configuration: String? = nil,
        at url: URL? = nil, options: StoreOptions = [:]
    ) async throws(GraphError) -> any PersistentStore {
        try await executor.runWaiting { () throws(GraphError) in
            if Task.isCancelled { throw .openingCancelled }
            return try self.addPersistentStore(
                ofType: type, configurationName: configuration, at: url, options: options)
        }
    }

    /// Closes a store and removes it from the coordinator. The store keeps its objects.
    ///
    /// Each context learns of the removal in its next turn or call. Unchanged objects of the store
    /// become faults, and using them throws `.unknownStore`. New, changed and deleted objects stay as
    /// they are. Saves of their context throw `.unknownStore` and save nothing until one of the
    /// following is done:
    ///
    /// - The store is added again, from the same URL with the same model. All of its objects can be used
    ///   and saved again.
    /// - The changes are discarded, by ``ManagedObjectContext/rollback()``, or by
    ///   ``ManagedObjectContext/refresh(_:mergeChanges:)`` for each object. New objects that were
    ///   assigned to the store are assigned to another store, or deleted.
    ///
    /// Objects of other stores are not affected. A save in progress fails if it has not begun to commit.
    ///
    /// - Throws: `.unknownStore`; `.store` if closing fails. The store is removed in that case, too.
    public func remove(_ store: any PersistentStore) throws(GraphError) {
        let attached = try attached(store)
        announceStoresWillChange(removed: [store])
        attached.watch?.end()
        state.withLock { state in
            state.stores.removeAll { $0 === attached }
            state.positions.removeAll { $0 === attached.position }
        }
        tellContexts(ofRemoved: attached)
        monitor.noteClosedStore(attached.location)
        announceStoresDidChange(removed: [store])
        attached.recentSnapshots.forgetAll()
        do {
            try store.close()
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    /// Informs the coordinator's contexts that a store no longer belongs to the coordinator.
    func tellContexts(ofRemoved attached: AttachedStore) {
        contexts.forEach { $0.tell(removedStores: [attached.number]) }
    }

    func engine(
        ofType type: StoreType, at url: URL?
    ) throws(StoreError) -> any PersistentStore.Type {
        let engine = try registry.engine(ofType: type)
        guard engine.capabilities.isDurable, url?.isNullDevice ?? false else { return engine }
        return registry.inMemoryEngine ?? engine
    }

    /// Returns the location of a store with a URL.
    ///
    /// - Throws: `.storeNeedsFileURL`, `.storeNeedsServiceURL`.
    static func location(
        _ url: URL?, for engine: any PersistentStore.Type, named type: StoreType
    ) throws(GraphError) -> StoreLocation {
        if let url, url.isNullDevice { return .memory(UUID().uuidString) }
        if engine is any FileStore.Type {
            guard let url, url.isFileURL else {
                throw .storeNeedsFileURL(type, given: url.map(ServiceLocation.redacted))
            }
            return .file(url.standardizedFileURL)
        }
        if engine.capabilities.isDurable {
            guard let service = url.flatMap(ServiceLocation.init) else {
                throw .storeNeedsServiceURL(type, given: url.map(ServiceLocation.redacted))
            }
            return .service(service)
        }
        return .memory(url.map(memoryName) ?? UUID().uuidString)
    }

    /// Returns the name of an in-memory store with a URL. A password in the URL is left out.
    static func memoryName(of url: URL) -> String {
        ServiceLocation(url)?.description ?? url.absoluteString
    }

    private func openRequest(
        _ location: StoreLocation, _ configuration: String?, _ options: CoordinatorOptions
    ) throws(GraphError) -> OpenRequest {
        do {
            _ = try managedObjectModel.entities(forConfiguration: configuration)
        } catch {
            throw .model(error)
        }
        return OpenRequest(
            location: location, model: managedObjectModel, layouts: layouts,
            configuration: configuration, isReadOnly: options.isReadOnly,
            createsMissing: options.createsMissing && !options.isReadOnly,
            options: options.engineOptions)
    }

    /// Reserves a location, so that two threads cannot add the same store at the same time.
    ///
    /// - Returns: The value to pass to ``endOpening(_:)``.
    /// - Throws: `.storeAlreadyAdded`.
    func beginOpening(_ location: StoreLocation) throws(GraphError) -> StoreLocation {
        let resolvedLocation = location.resolvedForComparison
        let isFree = state.withLock { state in
            guard !state.stores.contains(where: { $0.location.isSame(as: resolvedLocation) })
            else { return false }
            return state.opening.insert(resolvedLocation).inserted
        }
        if !isFree { throw .storeAlreadyAdded(location) }
        return resolvedLocation
    }

    func endOpening(_ resolvedLocation: StoreLocation) {
        state.withLock { _ = $0.opening.remove(resolvedLocation) }
    }

    /// - Throws: `.storeIdentifierTaken` if the coordinator has a store with the same identifier, such
    ///   as the original of a copied file. The URIs of their objects could not be told apart.
    private func attach(_ attached: AttachedStore) throws(GraphError) {
        let twin = state.withLock { state -> AttachedStore? in
            let twin = state.stores.first { $0.identifier == attached.identifier }
            if twin == nil { state.insert(attached) }
            return twin
        }
        if let twin {
            throw .storeIdentifierTaken(
                attached.identifier, by: twin.location, refused: attached.location)
        }
    }
}

extension URL {
    /// Whether this is `/dev/null`, by convention the location of a store that exists only in memory.
    package var isNullDevice: Bool { (isFileURL || scheme == nil) && path == "/dev/null" }
}

import CairnModel
import CairnStore
import Dispatch
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a store and adds it, creating it where there is none.
    ///
    /// Takes as long as the engine takes to open it; other stores answer meanwhile. After an error
    /// the coordinator is as it was.
    ///
    /// A configuration may be given to several stores, and an entity may be in several configurations.
    /// The order in which stores are added decides where new objects go that are assigned to none:
    /// see ``ManagedObjectContext/assign(_:to:)``.
    ///
    /// - Parameters:
    ///   - type: the engine, such as `"SQLite"` or `"InMemory"`.
    ///   - configuration: whose entities the store holds; nil: all.
    ///   - url: the file, or the address at a service, such as a server, for an engine whose stores
    ///     are no files. nil, or the file `/dev/null`: nowhere but in memory. At `/dev/null` an
    ///     in-memory engine stands in for one whose stores outlive the process.
    ///   - options: ``CairnStore/StoreOption/readOnly`` and the other ones of the coordinator, and
    ///     the engine's.
    /// - Throws: `.store`: `.unknownType`, or why the engine could not open it, such as
    ///   `.modelMismatch`; `.model(.unknownConfiguration)`; `.storeAlreadyAdded`, also for another way
    ///   of writing the path; `.storeIdentifierTaken`; `.storeNeedsFileURL`, `.storeNeedsServiceURL`;
    ///   `.openingCancelled` if the task was cancelled while the engine waited for a lock.
    @discardableResult
    public func addPersistentStore(
        ofType type: StoreType, configurationName configuration: String? = nil,
        at url: URL? = nil, options: StoreOptions = [:]
    ) throws(GraphError) -> any PersistentStore {
        let opener = try opener(type, configuration, url, options)
        let place = try beginOpening(opener.request.location)
        defer { endOpening(place) }
        let opened = try opener.open()
        try add(opened, opener.options)
        return opened.store
    }

    /// Adds a store that was opened with these options. Closes it if it cannot be added.
    ///
    /// - Throws: `.storeIdentifierTaken`; what asking for its state throws, if changes are reported.
    func add(_ opened: OpenedStore, _ options: CoordinatorOptions) throws(GraphError) {
        let store = opened.store
        do {
            let attached = try AttachedStore(
                opened, recovery: registry.recovery(for: store.request, options),
                postsRemoteChanges: options.postsRemoteChanges)
            let generation = try newestGenerationToWatch(attached)
            announceStoresWillChange(added: [store])
            try attach(attached)
            if let generation { watch(attached, after: generation) }
        } catch {
            try? store.close()
            throw error
        }
        announceStoresDidChange(added: [store])
    }

    /// Returns what opens a store as the parameters of
    /// ``addPersistentStore(ofType:configurationName:at:options:)`` say.
    func opener(
        _ type: StoreType, _ configuration: String?, _ url: URL?, _ options: StoreOptions
    ) throws(GraphError) -> StoreOpener {
        let engine = try engine(ofType: type, at: url)
        let location = try Self.location(url, for: engine, named: type)
        let own = try coordinatorOptions(options)
        return StoreOpener(
            engine: engine, type: type, request: try openRequest(location, configuration, own),
            registry: registry, options: own, history: history)
    }

    /// Opens a store on a background thread and adds it; see
    /// ``addPersistentStore(ofType:configurationName:at:options:)``.
    ///
    /// - Throws: as there; `.openingCancelled` also if the task was cancelled before.
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

    /// Closes a store and takes it out of the coordinator. Its objects stay in the store.
    ///
    /// Each context takes notice with its next turn or call. Its objects of the store without changes
    /// become faults; using one throws `.unknownStore`. New, changed and deleted objects stay as they are,
    /// and a save of the context throws `.unknownStore` and saves nothing, until one of these is done:
    ///
    /// - The store is added again, from the same URL with the same model. All of its objects can be used
    ///   and saved again.
    /// - The changes are forgotten, by ``ManagedObjectContext/rollback()``, or by
    ///   ``ManagedObjectContext/refresh(_:mergeChanges:)`` for each object. New objects that were
    ///   assigned to the store are assigned to another one, or deleted.
    ///
    /// Objects of other stores are left alone. A save that has begun ends with an error if it has not
    /// come to its commits.
    ///
    /// - Throws: `.unknownStore`; `.store` where closing failed: it is taken out all the same.
    public func remove(_ store: any PersistentStore) throws(GraphError) {
        let attached = try attached(store)
        announceStoresWillChange(removed: [store])
        attached.watch?.end()
        state.withLock { $0.stores.removeAll { $0.number == attached.number } }
        tellContexts(ofRemoved: attached)
        announceStoresDidChange(removed: [store])
        attached.recentSnapshots.forgetAll()
        try GraphError.translating { () throws(StoreError) in try store.close() }
    }

    /// Tells the contexts of the coordinator that a store is no part of it any more.
    func tellContexts(ofRemoved attached: AttachedStore) {
        contexts.forEach { $0.tell(removedStores: [attached.number]) }
    }

    func engine(
        ofType type: StoreType, at url: URL?
    ) throws(GraphError) -> any PersistentStore.Type {
        let engine = try GraphError.translating { () throws(StoreError) in
            try registry.engine(ofType: type)
        }
        guard engine.capabilities.isDurable, url?.isNowhere ?? false else { return engine }
        return registry.inMemoryEngine ?? engine
    }

    /// - Throws: `.storeNeedsFileURL`, `.storeNeedsServiceURL`.
    static func location(
        _ url: URL?, for engine: any PersistentStore.Type, named type: StoreType
    ) throws(GraphError) -> StoreLocation {
        if let url, url.isNowhere { return .memory(UUID().uuidString) }
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

    /// The name of a store in memory that was given a URL: a password in it is left out.
    static func memoryName(of url: URL) -> String {
        ServiceLocation(url)?.description ?? url.absoluteString
    }

    func openRequest(
        _ location: StoreLocation, _ configuration: String?, _ options: CoordinatorOptions
    ) throws(GraphError) -> OpenRequest {
        _ = try GraphError.translating { () throws(ModelError) in
            try managedObjectModel.entities(forConfiguration: configuration)
        }
        return OpenRequest(
            location: location, model: managedObjectModel, layouts: layouts,
            configuration: configuration, isReadOnly: options.isReadOnly,
            createsMissing: options.createsMissing && !options.isReadOnly,
            options: options.engineOptions)
    }

    /// - Throws: `.store(.invalidOption)`.
    func coordinatorOptions(_ options: StoreOptions) throws(GraphError) -> CoordinatorOptions {
        try GraphError.translating { () throws(StoreError) in try CoordinatorOptions(options) }
    }

    /// Reserves the location, so that two threads cannot add one store at a time.
    ///
    /// - Returns: what to hand to ``endOpening(_:)``.
    /// - Throws: `.storeAlreadyAdded`.
    func beginOpening(_ location: StoreLocation) throws(GraphError) -> StoreLocation {
        let place = location.resolvedForComparison
        let isFree = state.withLock { state in
            guard !state.stores.contains(where: { $0.location.isSame(as: place) })
            else { return false }
            return state.opening.insert(place).inserted
        }
        if !isFree { throw .storeAlreadyAdded(location) }
        return place
    }

    func endOpening(_ place: StoreLocation) {
        state.withLock { _ = $0.opening.remove(place) }
    }

    /// - Throws: `.storeIdentifierTaken` if a store of the same identifier, such as the original of
    ///   a copied file, is here: object URIs could not tell the two apart.
    private func attach(_ attached: AttachedStore) throws(GraphError) {
        let twin = state.withLock { state -> AttachedStore? in
            let twin = state.stores.first { $0.identifier == attached.identifier }
            if twin == nil { state.stores.append(attached) }
            return twin
        }
        if let twin {
            throw .storeIdentifierTaken(
                attached.identifier, by: twin.location, refused: attached.location)
        }
    }
}

extension URL {
    /// Whether this is `/dev/null`: by convention the place of a store that is in memory only.
    var isNowhere: Bool { (isFileURL || scheme == nil) && path == "/dev/null" }
}

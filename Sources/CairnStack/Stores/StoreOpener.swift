import CairnModel
import CairnStore

/// Opens a store for a coordinator. Migrates the store first if this is necessary and allowed.
struct StoreOpener {
    /// The result of trying to open a store without migrating it.
    enum Attempt {
        /// The store is open.
        case opened(OpenedStore)
        /// The store is closed, and has to be migrated first.
        case needsMigration(PendingMigration)
    }

    let engine: any PersistentStore.Type
    let type: StoreType
    let request: OpenRequest
    let registry: StoreRegistry
    let options: CoordinatorOptions
    let monitor: OperationMonitor
    /// Returns the stores of the coordinator.
    let openStores: @Sendable () -> [any PersistentStore]
    /// Finds the versions of the model that the program contains. Called only if the store has to be
    /// migrated.
    let history: @Sendable () throws(ModelError) -> ModelHistory
    /// Adds to these versions, for this store.
    var historyExtension: StoreToMigrate.HistoryExtension?

    /// Opens the store.
    ///
    /// - Throws: `.openingCancelled`; `.store` with an error such as `.modelMismatch`, or with the error
    ///   of the migration.
    func open() throws(GraphError) -> OpenedStore {
        switch try attempt() {
        case .opened(let opened): return opened
        case .needsMigration(let migration):
            do {
                try registry.migrate([migration.store], historyFoundBy: history, monitor)
            } catch {
                if !migration.canIgnore(error) { throw error }
            }
            do {
                return try openAsItIs()
            } catch {
                throw GraphError(ofOpening: error)
            }
        }
    }

    /// Opens the store if it does not have to be migrated.
    ///
    /// - Throws: The same errors as ``open()``.
    func attempt() throws(GraphError) -> Attempt {
        do {
            guard let migratable else { return .opened(try openBesideMigrations()) }
            return try attempt(migratable)
        } catch {
            throw GraphError(ofOpening: error)
        }
    }

    private func attempt(_ migratable: StoreToMigrate) throws(StoreError) -> Attempt {
        try waitForMigration()
        var hasTriedAgain = false
        while true {
            do {
                let opened = try openAsItIs()
                if try hasAllEntities(opened) { return .opened(opened) }
                try opened.store.close()
                return .needsMigration(PendingMigration(store: migratable, mismatch: nil))
            } catch .modelMismatch(let location, let differences) {
                let mismatch = StoreError.modelMismatch(location, differences: differences)
                var store = migratable
                store.infersMappings = options.infersMappingModel
                return .needsMigration(PendingMigration(store: store, mismatch: mismatch))
            } catch {
                let hasWaited = error.mayComeFromMigration ? try waitForMigration() : false
                // The migration may have ended in the meantime.
                guard hasWaited || error.mayEndWithMigration && !hasTriedAgain else { throw error }
                if !hasWaited { hasTriedAgain = true }
            }
        }
    }

    /// Opens a store that this program does not migrate, but that another program may be migrating.
    ///
    /// If the migrated store replaces the old one in the meantime, the migrated store is opened. Whether
    /// it can be used then depends on its model.
    private func openBesideMigrations() throws(StoreError) -> OpenedStore {
        var replacements = 0
        while true {
            do {
                return try openAsItIs()
            } catch {
                guard error.mayComeFromMigration else { throw error }
                if registry.migrator?.isMigrating(request.location) ?? false {
                    throw .locked(request.location, holder: Self.migratingHolder)
                }
                guard case .fileReplaced = error, replacements < 3 else { throw error }
                replacements += 1
            }
        }
    }

    private static let migratingHolder =
        "a program that migrates it to another version of the model"

    /// The store, if it may be migrated.
    private var migratable: StoreToMigrate? {
        guard options.migratesAutomatically, !request.isReadOnly, registry.migrator != nil,
            request.location.fileURL != nil && engine is any FileStore.Type
                || engine is any ServiceStore.Type
        else { return nil }
        var store = StoreToMigrate(engine: engine, type: type, request: request)
        store.historyExtension = historyExtension
        store.defersCleanup = options.defersMigrationCleanup
        return store
    }

    /// Waits until no process is migrating the store. Returns `false` if no process was migrating it.
    @discardableResult
    private func waitForMigration() throws(StoreError) -> Bool {
        guard let migrator = registry.migrator, migrator.isMigrating(request.location) else {
            return false
        }
        try migrator.waitForMigration(of: request.location)
        return true
    }

    /// Whether the store accepts objects of every entity. A store whose file is written as a whole
    /// accepts objects of new entities with its next save.
    private func hasAllEntities(_ opened: OpenedStore) throws(StoreError) -> Bool {
        if Swift.type(of: opened.store).capabilities.rewritesWholeFile { return true }
        return try opened.metadata.hasAllEntities(of: opened.store.request)
    }

    private func openAsItIs() throws(StoreError) -> OpenedStore {
        try registry.migrator?.finishRestore(of: request.location, registry: registry)
        if !request.isReadOnly, engine is any FileStore.Type,
            let pending = PendingSaveFile(of: request.location)
        {
            try registry.recovery(for: request, options, monitor, among: openStores).settle(pending)
        }
        return try OpenedStore(
            registry.namingForeignFiles { () throws(StoreError) in try engine.open(request) })
    }
}

extension StoreError {
    /// Whether another process's migration of the store can be the reason for this error of opening the
    /// store.
    fileprivate var mayComeFromMigration: Bool {
        if case .busy = self { return true }
        return mayEndWithMigration
    }

    /// Whether a migration can be the reason for this error, and opening failed without waiting. The
    /// store can be opened as soon as the migration ends.
    fileprivate var mayEndWithMigration: Bool {
        switch self {
        case .locked, .fileReplaced: true
        default: false
        }
    }
}

extension StoreRegistry {
    /// Migrates stores, either all of them or none.
    ///
    /// - Throws: `.openingCancelled`; `.model` if the versions cannot be read; `.store`.
    fileprivate func migrate(
        _ stores: [StoreToMigrate],
        historyFoundBy find: () throws(ModelError) -> ModelHistory, _ monitor: OperationMonitor
    ) throws(GraphError) {
        let locations = stores.map { "\($0.request.location)" }.joined(separator: ", ")
        try monitor.measure(.migrate, ["stores": "\(locations)"]) { () throws(GraphError) in
            try migrate(stores, historyFoundBy: find)
        }
    }

    private func migrate(
        _ stores: [StoreToMigrate],
        historyFoundBy find: () throws(ModelError) -> ModelHistory
    ) throws(GraphError) {
        guard let migrator else { return }
        let versions: ModelHistory
        do {
            versions = try find()
        } catch {
            throw .model(error)
        }
        do {
            try migrator.migrate(stores, history: versions)
        } catch .store(.cancelled) {
            throw .openingCancelled
        } catch .copyCancelled {
            throw .openingCancelled
        } catch {
            throw error
        }
    }
}

extension PersistentStoreCoordinator {
    /// Migrates closed stores, either all of them or none.
    ///
    /// - Throws: `.openingCancelled`; `.model` if the versions cannot be read; `.store`.
    package func migrate(_ stores: [StoreToMigrate]) throws(GraphError) {
        try registry.migrate(stores, historyFoundBy: modelHistory, monitor)
    }
}

/// A store that its engine has opened, with its metadata.
struct OpenedStore {
    let store: any PersistentStore
    let metadata: StoreMetadata

    /// Reads the store's metadata.
    ///
    /// - Throws: The errors of the store. The store is closed in that case.
    init(_ store: any PersistentStore) throws(StoreError) {
        self.store = store
        do {
            metadata = try store.metadata()
        } catch {
            // The first error is the one to report.
            try? store.close()
            throw error
        }
    }

    /// Returns those of the configuration's entities that the store has not recorded and whose objects
    /// it does not accept. A store whose file is written as a whole accepts them, and records them with
    /// its next save.
    func lacked(of entities: [Entity]) -> [Entity] {
        let recorded = metadata.entityVersionHashes
        guard store is any FileStore, !type(of: store).capabilities.rewritesWholeFile,
            !recorded.isEmpty
        else { return [] }
        return entities.filter { recorded[$0.name] == nil }
    }
}

import CairnStore

extension StoreOption {
    /// Whether saves to the store are refused and its files are not changed. A Boolean.
    public static let readOnly: StoreOption = "readOnly"
    /// Whether a missing store is created. A Boolean, `true` if it is absent.
    public static let createsMissingStore: StoreOption = "createsMissingStore"
    /// Whether a store of another version of the model is migrated when it is added. A Boolean, `false`
    /// if it is absent.
    ///
    /// If it is `false`, such a store is refused with `.modelMismatch`. So is a store from which the
    /// migration would remove something, unless the model history of the coordinator has the version
    /// that the store was written with. Migrations need ``infersMappingModel``, too.
    public static let migratesAutomatically: StoreOption = "migratePersistentStoresAutomatically"
    /// Whether a migration may infer how to convert one version of the model to the other. A Boolean,
    /// `false` if it is absent.
    ///
    /// If it is `false`, a migration needs a mapping model, which Cairn cannot execute yet: the store is
    /// refused with `.mappingModelNeeded`.
    public static let infersMappingModel: StoreOption = "inferMappingModelAutomatically"
    /// Whether the coordinator reports each new state of the store, including states that other
    /// processes and coordinators saved. A Boolean, `false` if it is absent. Every engine accepts it.
    /// See ``PersistentStoreCoordinator/remoteChangeNotification``.
    public static let postsRemoteChanges: StoreOption = "postsRemoteChanges"
    /// Whether the store is opened even if a save over several stores was interrupted and another of
    /// its stores, or its journal, is missing, damaged or cannot be written. A Boolean, `false` if it
    /// is absent: `.saveInDoubt` is then thrown.
    ///
    /// If there is a journal, the stores that can be written complete their part of the save, and the
    /// journal is kept for the other stores, which complete theirs when they can be written again. If
    /// there is no journal, each store stays as it is.
    public static let overridesSaveInDoubt: StoreOption = "overridesSaveInDoubt"
}

import CairnStore

/// The options of `addPersistentStore`, separated into those of the coordinator and those of the engine.
package struct CoordinatorOptions: Sendable {
    package var isReadOnly: Bool
    var createsMissing: Bool
    var postsRemoteChanges: Bool
    var migratesAutomatically: Bool
    var infersMappingModel: Bool
    var overridesSaveInDoubt: Bool
    /// The remaining options, which are passed to the engine.
    package var engineOptions: StoreOptions

    /// Separates the coordinator's options from the others.
    ///
    /// - Throws: `.invalidOption` if the value of a coordinator's option is not a Boolean.
    package init(_ options: StoreOptions) throws(StoreError) {
        engineOptions = options
        isReadOnly = try Self.take(.readOnly, from: &engineOptions) ?? false
        createsMissing = try Self.take(.createsMissingStore, from: &engineOptions) ?? true
        postsRemoteChanges = try Self.take(.postsRemoteChanges, from: &engineOptions) ?? false
        migratesAutomatically = try Self.take(.migratesAutomatically, from: &engineOptions) ?? false
        infersMappingModel = try Self.take(.infersMappingModel, from: &engineOptions) ?? false
        overridesSaveInDoubt =
            try Self.take(.overridesSaveInDoubt, from: &engineOptions) ?? false
    }

    private static func take(
        _ option: StoreOption, from options: inout StoreOptions
    ) throws(StoreError) -> Bool? {
        switch options.removeValue(forKey: option) {
        case nil: return nil
        case .boolean(let value)?: return value
        case .integer(let value)? where value == 0 || value == 1: return value == 1
        default: throw .invalidOption(option, detail: "its value must be true or false")
        }
    }
}

extension StoreOption {
    /// Whether the store is read-only: saves are refused, and the store's files are not changed. A
    /// Boolean. The default is `false`.
    public static let readOnly: StoreOption = "readOnly"
    /// Whether a missing store is created. A Boolean. The default is `true`.
    public static let createsMissingStore: StoreOption = "createsMissingStore"
    /// Whether a store that was written with another version of the model is migrated when it is added.
    /// A Boolean. The default is `false`.
    ///
    /// If it is `false`, such a store is refused with `.modelMismatch`. The store is also refused if the
    /// migration would remove something from it and the coordinator's model history does not contain the
    /// version that the store was written with. Migrations also require ``infersMappingModel``.
    public static let migratesAutomatically: StoreOption = "migratePersistentStoresAutomatically"
    /// Whether a migration may infer the mapping from one version of the model to the other. A Boolean.
    /// The default is `false`.
    ///
    /// If it is `false`, a migration needs a mapping model. Cairn cannot execute mapping models yet, so
    /// the store is refused with `.mappingModelNeeded`.
    public static let infersMappingModel: StoreOption = "inferMappingModelAutomatically"
    /// Whether the coordinator reports each new state of the store, including states that other
    /// processes and coordinators saved. A Boolean. The default is `false`. Every engine accepts this
    /// option. See ``PersistentStoreCoordinator/remoteChangeNotification``.
    public static let postsRemoteChanges: StoreOption = "postsRemoteChanges"
    /// Whether the store is opened even if a save to several stores was interrupted and another of these
    /// stores, or the save's journal, is missing, damaged or cannot be written. A Boolean. The default
    /// is `false`: opening then throws `.saveInDoubt`.
    ///
    /// If the journal exists, the stores that can be written complete their parts of the save. The
    /// journal is kept for the other stores, which complete their parts when they can be written again.
    /// A store that was restored from an older backup stays as it is. If the journal is missing, each
    /// store stays as it is. The coordinator logs a warning with the stores that do not contain the save.
    public static let overridesSaveInDoubt: StoreOption = "overridesSaveInDoubt"
}

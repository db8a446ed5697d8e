import CairnStore

/// The options of `addPersistentStore`, separated into those of the coordinator and those of the engine.
package struct CoordinatorOptions: Sendable {
    package var isReadOnly: Bool
    var createsMissing: Bool
    var postsRemoteChanges: Bool
    var migratesAutomatically: Bool
    var infersMappingModel: Bool
    package var defersMigrationCleanup: Bool
    var overridesSaveInDoubt: Bool
    /// `nil` if the options set no limit.
    var historyLimits: HistoryLimits?
    /// The remaining options, which are passed to the engine.
    package var engineOptions: StoreOptions

    /// Separates the coordinator's options from the others.
    ///
    /// - Throws: `.invalidOption` if the value of a coordinator's option is wrong.
    package init(_ options: StoreOptions) throws(StoreError) {
        engineOptions = options
        isReadOnly = try Self.take(.readOnly, from: &engineOptions) ?? false
        createsMissing = try Self.take(.createsMissingStore, from: &engineOptions) ?? true
        postsRemoteChanges = try Self.take(.postsRemoteChanges, from: &engineOptions) ?? false
        migratesAutomatically = try Self.take(.migratesAutomatically, from: &engineOptions) ?? false
        infersMappingModel = try Self.take(.infersMappingModel, from: &engineOptions) ?? false
        defersMigrationCleanup =
            try Self.take(.defersMigrationCleanup, from: &engineOptions) ?? false
        overridesSaveInDoubt =
            try Self.take(.overridesSaveInDoubt, from: &engineOptions) ?? false
        let limits = HistoryLimits(
            age: try Self.takeNumber(.historyAge, from: &engineOptions),
            count: try Self.takeNumber(.historyCount, from: &engineOptions).map { Int64($0) })
        if limits.age != nil || limits.count != nil { historyLimits = limits }
    }

    private static func takeNumber(
        _ option: StoreOption, from options: inout StoreOptions
    ) throws(StoreError) -> Double? {
        let number: Double
        switch options.removeValue(forKey: option) {
        case nil: return nil
        case .integer(let value)?: number = Double(value)
        case .real(let value)?: number = value
        default: number = .nan
        }
        guard (1...1e12).contains(number) else {
            throw .invalidOption(option, detail: "its value must be a number from 1 to 1e12")
        }
        return number
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
    /// version that the store was written with. Without mapping models, migrations also require
    /// ``infersMappingModel``.
    public static let migratesAutomatically: StoreOption = "migratePersistentStoresAutomatically"
    /// Whether a migration may infer the mapping from one version of the model to the other. A Boolean.
    /// The default is `false`.
    ///
    /// If it is `false`, a migration needs mapping models for all of the way to the new version. Otherwise,
    /// the store is refused with `.mappingModelNeeded`.
    public static let infersMappingModel: StoreOption = "inferMappingModelAutomatically"
    /// Whether a migration leaves out work that takes long and that no object needs. A Boolean. The default is
    /// `false`.
    ///
    /// A migration of a SQLite store in place then does not drop the columns of removed properties, which would
    /// rewrite their tables. `finishDeferredLightweightMigration()` of the coordinator drops them later.
    /// Until then, any program can use the store, and a later migration in place without this option drops them
    /// as well. The option has no effect on other migrations and other engines.
    public static let defersMigrationCleanup: StoreOption = "defersMigrationCleanup"
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
    /// How many seconds the transactions of the store's history are kept. A number of at least 1. Without
    /// it, the age has no limit.
    ///
    /// The coordinator removes older transactions when the store is added, and again after every 1,000 saves.
    /// The newest transaction always stays, and so do those that a registered follower has not read
    /// (``PersistentStoreCoordinator/setHistoryToken(_:ofFollower:)``).
    public static let historyAge: StoreOption = "historyAge"
    /// How many transactions the store's history keeps. A number of at least 1. Without it, the number has
    /// no limit. Older transactions are removed as with ``historyAge``.
    public static let historyCount: StoreOption = "historyCount"
}

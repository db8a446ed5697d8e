import CairnStore

extension StoreOption {
    /// Whether saves to the store are refused and its files stay as they are; a Boolean.
    public static let readOnly: StoreOption = "readOnly"
    /// Whether a missing store is created; a Boolean, true where it is absent.
    public static let createsMissingStore: StoreOption = "createsMissingStore"
    /// Whether a store of another version of the model should be migrated when it is added; a Boolean.
    ///
    /// Has no effect yet: stores are not migrated, and such a store is refused with `.modelMismatch`.
    public static let migratesAutomatically: StoreOption = "migratePersistentStoresAutomatically"
    /// Whether that migration may infer the mapping between the two models; a Boolean.
    ///
    /// Has no effect yet, as ``migratesAutomatically``.
    public static let infersMappingModel: StoreOption = "inferMappingModelAutomatically"
    /// Whether the coordinator reports each new state of the store, those that other processes and
    /// coordinators saved included; a Boolean, false if it is absent. Every engine takes it. See
    /// ``PersistentStoreCoordinator/remoteChangeNotification``.
    public static let postsRemoteChanges: StoreOption = "postRemoteChangeNotifications"
}

/// The options of `addPersistentStore`, those for the coordinator taken out.
package struct CoordinatorOptions: Sendable {
    package var isReadOnly: Bool
    var createsMissing: Bool
    var postsRemoteChanges: Bool
    /// What is left for the engine.
    package var engineOptions: StoreOptions

    /// - Throws: `.invalidOption` where the value is no Boolean, and for an option of Core Data that
    ///   cannot be honoured.
    package init(_ options: StoreOptions) throws(StoreError) {
        engineOptions = try options.translatingCoreDataNames()
        isReadOnly = try Self.take(.readOnly, from: &engineOptions) ?? false
        createsMissing = try Self.take(.createsMissingStore, from: &engineOptions) ?? true
        postsRemoteChanges = try Self.take(.postsRemoteChanges, from: &engineOptions) ?? false
        // Not used yet: a store of another version is refused by its engine, which names each
        // difference.
        _ = try Self.take(.migratesAutomatically, from: &engineOptions)
        _ = try Self.take(.infersMappingModel, from: &engineOptions)
    }

    private static func take(
        _ option: StoreOption, from options: inout StoreOptions
    ) throws(StoreError) -> Bool? {
        switch options.removeValue(forKey: option) {
        case nil: return nil
        case .boolean(let value)?: return value
        case .integer(let value)? where value == 0 || value == 1: return value == 1
        default: throw .invalidOption(option, detail: "it takes true or false")
        }
    }
}

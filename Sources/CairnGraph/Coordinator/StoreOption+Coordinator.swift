import CairnStore

extension StoreOption {
    /// Whether saves to the store are refused and its files stay as they are; a Boolean.
    public static let readOnly: StoreOption = "readOnly"
    /// Whether a missing store is created; a Boolean, true where it is absent.
    public static let createsMissingStore: StoreOption = "createsMissingStore"
    /// Whether a store of another version of the model is migrated when it is added; a Boolean.
    public static let migratesAutomatically: StoreOption = "migratePersistentStoresAutomatically"
    /// Whether that migration may work out itself what became of what; a Boolean.
    public static let infersMappingModel: StoreOption = "inferMappingModelAutomatically"
}

/// The options of `addPersistentStore`, those for the coordinator taken out.
struct CoordinatorOptions: Sendable {
    var isReadOnly: Bool
    var createsMissing: Bool
    /// What is left for the engine.
    var engineOptions: StoreOptions

    /// - Throws: `.invalidOption` where the value is no Boolean.
    init(_ options: StoreOptions) throws(StoreError) {
        engineOptions = options
        isReadOnly = try Self.take(.readOnly, from: &engineOptions) ?? false
        createsMissing = try Self.take(.createsMissingStore, from: &engineOptions) ?? true
        // A store of another version is refused by its engine, which names each difference.
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

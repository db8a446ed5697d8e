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

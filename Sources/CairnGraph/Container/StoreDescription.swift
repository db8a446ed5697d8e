import CairnStore
import Foundation

/// A store that a container opens: which engine, where, and how.
public struct StoreDescription: Sendable, Hashable {
    /// The engine, such as `"SQLite"` or `"InMemory"`.
    public var type: StoreType
    /// The file; nil, or `/dev/null`: in memory only.
    public var url: URL?
    /// The configuration whose entities the store holds; nil: all.
    public var configuration: String?
    /// Whether saves are refused and the store's files stay as they are.
    public var isReadOnly = false
    /// How long to wait for others to leave the store; nil: the engine's default. Given to engines
    /// that take the option ``CairnStore/StoreOption/timeout``.
    public var timeout: Duration?
    /// Whether the store is opened on a background thread, and the callback made on a queue.
    public var shouldAddStoreAsynchronously = false
    /// Whether a store of another version of the model is to be migrated when it is added.
    public var shouldMigrateStoreAutomatically = true
    /// Whether that migration may work out itself what became of what.
    public var shouldInferMappingModelAutomatically = true
    /// Settings for the engine.
    public var options: StoreOptions = [:]

    /// - Parameter url: the file; nil, or `/dev/null`: in memory only.
    public init(type: StoreType = "SQLite", url: URL? = nil) {
        self.type = type
        self.url = url
    }

    /// Sets or, with nil, removes one of ``options``.
    public mutating func setOption(_ value: MetadataValue?, forKey option: StoreOption) {
        options[option] = value
    }

    /// The options of ``PersistentStoreCoordinator/addPersistentStore(ofType:configurationName:at:options:)``
    /// that say the same; what ``options`` sets itself counts.
    ///
    /// - Parameter known: the options of the engine.
    func allOptions(known: Set<StoreOption>) -> StoreOptions {
        var all: StoreOptions = [
            .readOnly: .boolean(isReadOnly),
            .migratesAutomatically: .boolean(shouldMigrateStoreAutomatically),
            .infersMappingModel: .boolean(shouldInferMappingModelAutomatically),
        ]
        if let timeout, known.contains(.timeout) { all[.timeout] = .real(timeout / .seconds(1)) }
        return all.merging(options) { _, own in own }
    }
}

extension PersistentStoreCoordinator {
    /// Opens a described store and adds it; `shouldAddStoreAsynchronously` plays no part.
    ///
    /// - Throws: as ``addPersistentStore(ofType:configurationName:at:options:)``.
    @discardableResult
    public func addPersistentStore(
        with description: StoreDescription
    ) throws(GraphError) -> any PersistentStore {
        let engine = try engine(ofType: description.type, at: description.url)
        return try addPersistentStore(
            ofType: description.type, configurationName: description.configuration,
            at: description.url, options: description.allOptions(known: engine.capabilities.options)
        )
    }
}

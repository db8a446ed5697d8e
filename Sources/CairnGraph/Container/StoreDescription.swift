import CairnStore
import Foundation

/// A store that a container opens: which engine, where, and how.
public struct StoreDescription: Sendable, Hashable {
    /// The engine, such as `"SQLite"` or `"InMemory"`; nil: the one whose store is at the URL, by the
    /// content of the file, not by its extension. `"SQLite"`, as in Core Data, where none is there.
    public var type: StoreType?
    /// The file, or the address at a service; nil, or `/dev/null`: in memory only.
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
    /// Whether a store of another version of the model should be migrated when it is added.
    ///
    /// - Important: Has no effect yet. Stores are not migrated: adding a store that was written with
    ///   an incompatible model throws `.store(.modelMismatch)`, whatever this says.
    public var shouldMigrateStoreAutomatically = true
    /// Whether that migration may infer the mapping between the two models.
    ///
    /// - Important: Has no effect yet, as ``shouldMigrateStoreAutomatically``.
    public var shouldInferMappingModelAutomatically = true
    /// Settings for the engine.
    public var options: StoreOptions = [:]

    /// - Parameters:
    ///   - type: the engine; nil: what the file at the URL says, `"SQLite"` where none is there.
    ///   - url: the file; nil, or `/dev/null`: in memory only.
    public init(type: StoreType? = nil, url: URL? = nil) {
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

extension StoreDescription: CustomReflectable {
    /// Shows everything but the password and the query of a service's address, so that a printed
    /// description, or an error that has one, does not show them either.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "type": type as Any, "url": url.map(ServiceLocation.redacted) as Any,
            "configuration": configuration as Any, "isReadOnly": isReadOnly,
            "timeout": timeout as Any,
            "shouldAddStoreAsynchronously": shouldAddStoreAsynchronously,
            "shouldMigrateStoreAutomatically": shouldMigrateStoreAutomatically,
            "shouldInferMappingModelAutomatically": shouldInferMappingModelAutomatically,
            "options": options,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension PersistentStoreCoordinator {
    /// Opens a described store and adds it; `shouldAddStoreAsynchronously` plays no part.
    ///
    /// - Throws: as ``addPersistentStore(ofType:configurationName:at:options:)``; without a type,
    ///   `.store`: `.unrecognized`, `.fileFailure`.
    @discardableResult
    public func addPersistentStore(
        with description: StoreDescription
    ) throws(GraphError) -> any PersistentStore {
        let type = try type(of: description)
        let engine = try engine(ofType: type, at: description.url)
        return try addPersistentStore(
            ofType: type, configurationName: description.configuration,
            at: description.url, options: description.allOptions(known: engine.capabilities.options)
        )
    }

    private func type(of description: StoreDescription) throws(GraphError) -> StoreType {
        if let type = description.type { return type }
        guard let url = description.url, url.isFileURL, !url.isNowhere else { return "SQLite" }
        do throws(StoreError) {
            return try registry.type(ofStoreAt: .file(url.standardizedFileURL))
        } catch .notFound {
            return "SQLite"
        } catch {
            throw .store(error)
        }
    }
}

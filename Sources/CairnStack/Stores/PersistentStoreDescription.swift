import CairnStore
import Foundation
import Synchronization

/// A description of a store that a container opens: its engine, its location, and its options.
///
/// As in Core Data, this is a class: the elements of ``PersistentContainer/persistentStoreDescriptions``
/// can be modified in place before the stores are loaded. A description can be used from any thread.
public final class PersistentStoreDescription: Sendable {
    private struct Values: Sendable {
        var storeType: StoreType?
        var url: URL?
        var configuration: String?
        var isReadOnly = false
        var timeout: TimeInterval?
        var shouldAddStoreAsynchronously = false
        var shouldMigrateStoreAutomatically = true
        var shouldInferMappingModelAutomatically = true
        var options: StoreOptions = [:]
        var historyExtension: StoreToMigrate.HistoryExtension?
        /// The errors of options whose values cannot be used.
        var refusals: [StoreOption: StoreError] = [:]
    }

    private let values: Mutex<Values>

    /// Creates a description with default options.
    ///
    /// - Parameters:
    ///   - type: The engine. If `nil`, the engine is determined by the content of the file at `url`, or
    ///     is `"SQLite"` if there is no file.
    ///   - url: The store's file, or the address of a service. `nil` or `/dev/null` means that the store
    ///     is only in memory.
    public init(type: StoreType? = nil, url: URL? = nil) {
        values = Mutex(Values(storeType: type, url: url))
    }

    private subscript<Value: Sendable>(
        _ path: WritableKeyPath<Values, Value> & Sendable
    ) -> Value {
        get { values.withLock { $0[keyPath: path] } }
        set { values.withLock { $0[keyPath: path] = newValue } }
    }

    /// The engine. If `nil`, the engine is determined by the content of the file at the URL (not by its
    /// extension), or is `"SQLite"` if there is no file.
    public var storeType: StoreType? {
        get { self[\.storeType] }
        set { self[\.storeType] = newValue }
    }
    /// The store's file, or the address of a service. `nil` or `/dev/null` means that the store is only
    /// in memory.
    public var url: URL? {
        get { self[\.url] }
        set { self[\.url] = newValue }
    }
    /// The configuration whose entities the store holds. `nil` means all entities.
    public var configuration: String? {
        get { self[\.configuration] }
        set { self[\.configuration] = newValue }
    }
    /// Whether the store is read-only: saves are refused, and the store's files are not changed.
    public var isReadOnly: Bool {
        get { self[\.isReadOnly] }
        set { self[\.isReadOnly] = newValue }
    }
    /// How many seconds to wait until other users of the store release it. If `nil`, the engine's
    /// default applies. Only passed to engines that support the option
    /// ``CairnStore/StoreOption/timeout``.
    public var timeout: TimeInterval? {
        get { self[\.timeout] }
        set { self[\.timeout] = newValue }
    }
    /// Whether the store is opened on a background thread and the completion handler is called on a
    /// queue.
    public var shouldAddStoreAsynchronously: Bool {
        get { self[\.shouldAddStoreAsynchronously] }
        set { self[\.shouldAddStoreAsynchronously] = newValue }
    }
    /// Whether a store that was written with another version of the model is migrated when it is added.
    /// The default is `true`.
    ///
    /// If it is `false`, adding such a store throws `.store(.modelMismatch)`. The same error is thrown
    /// if the migration would remove something from the store and the program does not contain the
    /// version that the store was written with, because a newer version of the program may have written
    /// it.
    public var shouldMigrateStoreAutomatically: Bool {
        get { self[\.shouldMigrateStoreAutomatically] }
        set { self[\.shouldMigrateStoreAutomatically] = newValue }
    }
    /// Whether an automatic migration may infer the mapping from one version of the model to the other.
    /// The default is `true`.
    ///
    /// If it is `false`, adding such a store throws `.store(.mappingModelNeeded)`, unless there are
    /// mapping models for all of the way to the new version.
    public var shouldInferMappingModelAutomatically: Bool {
        get { self[\.shouldInferMappingModelAutomatically] }
        set { self[\.shouldInferMappingModelAutomatically] = newValue }
    }
    /// The options of the coordinator and of the engine.
    public var options: StoreOptions {
        get { self[\.options] }
        set { self[\.options] = newValue }
    }

    /// Adds versions, or code of the steps between them, to those of the coordinator. `nil` adds nothing.
    package var historyExtension: StoreToMigrate.HistoryExtension? {
        get { self[\.historyExtension] }
        set { self[\.historyExtension] = newValue }
    }

    /// Changes the options, and the errors of options that cannot be used. Opening the store throws one of
    /// these errors.
    package func update(_ change: (inout StoreOptions, inout [StoreOption: StoreError]) -> Void) {
        values.withLock { change(&$0.options, &$0.refusals) }
    }

    /// Returns the options for
    /// ``PersistentStoreCoordinator/addPersistentStore(ofType:configurationName:at:options:)`` that are
    /// equivalent to this description. Values in ``options`` win over the other properties.
    ///
    /// - Parameter known: The options that the engine supports.
    /// - Throws: `.invalidOption` if an option's value cannot be used.
    func allOptions(known: Set<StoreOption>) throws(StoreError) -> StoreOptions {
        let values = values.withLock { $0 }
        let refused = values.refusals.min { $0.key.rawValue < $1.key.rawValue }
        if let refused { throw refused.value }
        var all: StoreOptions = [
            .readOnly: .boolean(values.isReadOnly),
            .migratesAutomatically: .boolean(values.shouldMigrateStoreAutomatically),
            .infersMappingModel: .boolean(values.shouldInferMappingModelAutomatically),
        ]
        if let timeout = values.timeout, known.contains(.timeout) { all[.timeout] = .real(timeout) }
        return all.merging(values.options) { _, own in own }
    }
}

extension PersistentStoreDescription: CustomReflectable, CustomStringConvertible {
    /// The engine and the location, without the password and the query of a service's address.
    public var description: String {
        "\(storeType ?? "SQLite") store at \(url.map { "\(ServiceLocation.redacted($0))" } ?? "no URL")"
    }

    /// Shows all properties, without the password and the query of a service's address. They therefore
    /// do not appear in printed descriptions or in errors that contain a description.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "type": storeType as Any, "url": url.map(ServiceLocation.redacted) as Any,
            "configuration": configuration as Any, "isReadOnly": isReadOnly,
            "timeout": timeout as Any,
            "shouldAddStoreAsynchronously": shouldAddStoreAsynchronously,
            "shouldMigrateStoreAutomatically": shouldMigrateStoreAutomatically,
            "shouldInferMappingModelAutomatically": shouldInferMappingModelAutomatically,
            "options": options,
        ]
        return Mirror(self, children: children, displayStyle: .class)
    }
}

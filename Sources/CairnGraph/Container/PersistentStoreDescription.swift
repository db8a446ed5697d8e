import CairnStore
import Foundation
import Synchronization

/// A store that a container opens: which engine, where, and how.
///
/// An object, as in Core Data: an element of ``PersistentContainer/persistentStoreDescriptions`` can be
/// changed in place before the stores are loaded. Safe from any thread.
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
        /// The options whose values no store can take, and why.
        var refusedOptions: [StoreOption: String] = [:]
    }

    private let values: Mutex<Values>

    /// - Parameters:
    ///   - type: the engine. `nil` means what the file at the URL says, or `"SQLite"` if there is no file.
    ///   - url: the file, or the address at a service. `nil` or `/dev/null` means in memory only.
    public init(type: StoreType? = nil, url: URL? = nil) {
        values = Mutex(Values(storeType: type, url: url))
    }

    private subscript<Value: Sendable>(
        _ path: WritableKeyPath<Values, Value> & Sendable
    ) -> Value {
        get { values.withLock { $0[keyPath: path] } }
        set { values.withLock { $0[keyPath: path] = newValue } }
    }

    /// The name of the engine, such as ``SQLiteStoreType`` or ``InMemoryStoreType``.
    ///
    /// `"SQLite"` until it or ``storeType`` is set; the store is then opened as what it is.
    public var type: String {
        get { storeType?.rawValue ?? SQLiteStoreType }
        set { storeType = StoreType(newValue) }
    }
    /// The engine. `nil` means the engine whose store is at the URL, by the content of the file and not by
    /// its extension, or `"SQLite"` if there is no file.
    public var storeType: StoreType? {
        get { self[\.storeType] }
        set { self[\.storeType] = newValue }
    }
    /// The file, or the address at a service. `nil` or `/dev/null` means in memory only.
    public var url: URL? {
        get { self[\.url] }
        set { self[\.url] = newValue }
    }
    /// The configuration whose entities the store holds. `nil` means all entities.
    public var configuration: String? {
        get { self[\.configuration] }
        set { self[\.configuration] = newValue }
    }
    /// Whether saves are refused and the store's files stay as they are.
    public var isReadOnly: Bool {
        get { self[\.isReadOnly] }
        set { self[\.isReadOnly] = newValue }
    }
    /// How many seconds to wait for others to leave the store. `nil` means the engine's default. Given to
    /// engines that take the option ``CairnStore/StoreOption/timeout``.
    public var timeout: TimeInterval? {
        get { self[\.timeout] }
        set { self[\.timeout] = newValue }
    }
    /// Whether the store is opened on a background thread, and the callback made on a queue.
    public var shouldAddStoreAsynchronously: Bool {
        get { self[\.shouldAddStoreAsynchronously] }
        set { self[\.shouldAddStoreAsynchronously] = newValue }
    }
    /// Whether a store of another version of the model is migrated when it is added. The default is
    /// `true`.
    ///
    /// If it is `false`, adding such a store throws `.store(.modelMismatch)`. So does a store from which
    /// the migration would remove something, unless the program has the version that the store was
    /// written with: a newer version of the program may have written it.
    public var shouldMigrateStoreAutomatically: Bool {
        get { self[\.shouldMigrateStoreAutomatically] }
        set { self[\.shouldMigrateStoreAutomatically] = newValue }
    }
    /// Whether that migration may infer how one version of the model becomes the other. The default is
    /// `true`.
    ///
    /// If it is `false`, adding such a store throws `.store(.mappingModelNeeded)`, because Cairn cannot
    /// execute mapping models yet.
    public var shouldInferMappingModelAutomatically: Bool {
        get { self[\.shouldInferMappingModelAutomatically] }
        set { self[\.shouldInferMappingModelAutomatically] = newValue }
    }
    /// Settings for the engine, by Cairn's names or by Core Data's.
    public var options: StoreOptions {
        get { self[\.options] }
        set { self[\.options] = newValue }
    }

    /// Sets or, with `nil`, removes one of ``options``.
    public func setOption(_ value: MetadataValue?, forKey option: StoreOption) {
        values.withLock { values in
            values.options[option] = value
            values.refusedOptions[option] = nil
        }
    }

    /// Sets or, with `nil`, removes one of ``options``, by Core Data's name or by Cairn's.
    ///
    /// Opening the store throws `.invalidOption` if the value is not one that a property list can hold.
    @_disfavoredOverload
    public func setOption(_ value: NSObject?, forKey key: String) {
        let option = StoreOption(rawValue: key)
        guard let value else { return setOption(nil as MetadataValue?, forKey: option) }
        do throws(StoreError) {
            setOption(try MetadataValue(option: option, value), forKey: option)
        } catch {
            let detail = MetadataValue.refusal(of: value)
            values.withLock { $0.refusedOptions[option] = detail }
        }
    }

    /// Sets or, with `nil`, removes a pragma of a SQLite store; see ``SQLitePragmasOption``.
    public func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        let option = StoreOption(rawValue: SQLitePragmasOption)
        let pragma = value.map { "\($0)" }
        values.withLock { values in
            var pragmas: [String: MetadataValue] = [:]
            if case .dictionary(let present)? = values.options[option] { pragmas = present }
            pragmas[name] = pragma.map(MetadataValue.string)
            values.options[option] = pragmas.isEmpty ? nil : .dictionary(pragmas)
        }
    }

    /// The options of ``PersistentStoreCoordinator/addPersistentStore(ofType:configurationName:at:options:)``
    /// that say the same; what ``options`` sets itself counts.
    ///
    /// - Parameter known: the options of the engine.
    /// - Throws: `.invalidOption` for a value that no store can take.
    func allOptions(known: Set<StoreOption>) throws(StoreError) -> StoreOptions {
        let values = values.withLock { $0 }
        let refused = values.refusedOptions.min { $0.key.rawValue < $1.key.rawValue }
        if let refused { throw .invalidOption(refused.key, detail: refused.value) }
        var all: StoreOptions = [
            .readOnly: .boolean(values.isReadOnly),
            .migratesAutomatically: .boolean(values.shouldMigrateStoreAutomatically),
            .infersMappingModel: .boolean(values.shouldInferMappingModelAutomatically),
        ]
        if let timeout = values.timeout, known.contains(.timeout) { all[.timeout] = .real(timeout) }
        return all.merging(try values.options.translatingCoreDataNames()) { _, own in own }
    }
}

/// The former name of ``PersistentStoreDescription``.
public typealias StoreDescription = PersistentStoreDescription

extension PersistentStoreDescription: CustomReflectable, CustomStringConvertible {
    /// The engine and the location, without the password and the query of a service's address.
    public var description: String {
        "\(type) store at \(url.map { "\(ServiceLocation.redacted($0))" } ?? "no URL")"
    }

    /// Shows everything but the password and the query of a service's address, so that a printed
    /// description, or an error that has one, does not show them either.
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

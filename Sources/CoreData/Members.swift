#if !canImport(Darwin)
import Foundation

// Members of Cairn's types under Core Data's names, and the two initialisers that report a missing model
// later, or with `nil`, instead of throwing.

extension PersistentContainer {
    /// Creates a container for the model with a name, with all built-in engines.
    ///
    /// The model is searched for as by `PersistentContainer.init(name:bundles:folders:)`. If it is missing or
    /// cannot be read, the handler of `loadPersistentStores` gets the error for each store.
    ///
    /// - Parameter name: The name of the model, without its extension, and of the container.
    public convenience init(name: String) {
        let folders = [Bundle.main].compactMap(\.resourceURL) + Self.defaultModelFolders
        self.init(name: name, locator: ModelLocator(folders: folders))
    }
}

extension ManagedObjectModel {
    /// Reads and compiles the model at a location. Returns `nil` if there is no model, or if it cannot be
    /// used. To get the reason, use the initialiser of this name that throws, in a file that imports
    /// `Cairn` instead of `CoreData`.
    public convenience init?(contentsOf url: URL) {
        do {
            let (description, recordedHashes) = try ModelReader.content(at: url)
            try self.init(description, recordedHashes: recordedHashes)
        } catch {
            return nil
        }
    }
}

extension PersistentStoreCoordinator {
    /// Opens a store and adds it, using the name of its engine and Core Data's form of options.
    ///
    /// - Parameters:
    ///   - type: The name of the engine, such as ``NSSQLiteStoreType`` or ``NSInMemoryStoreType``.
    ///   - configuration: The name of the configuration whose entities the store holds. `nil` means all
    ///     entities.
    ///   - url: The store's file, or the address of a service. `nil` means that the store is only in
    ///     memory.
    ///   - options: The options, under Core Data's names or Cairn's. Unsupported options are refused.
    /// - Throws: The errors of `addPersistentStore` with a `StoreType`; also `.store(.invalidOption)` for a
    ///   value whose type no option has, and for an option of Core Data that is not supported.
    @_disfavoredOverload @discardableResult
    public func addPersistentStore(
        ofType type: String, configurationName configuration: String?, at url: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws(GraphError) -> any PersistentStore {
        var options = options ?? [:]
        let description = PersistentStoreDescription(type: StoreType(type), url: url)
        description.configuration = configuration
        description.shouldMigrateStoreAutomatically = false
        description.shouldInferMappingModelAutomatically = false
        let key = NSPersistentStoreStagedMigrationManagerOptionKey
        if let manager = options[key] as? NSStagedMigrationManager {
            description.setStagedMigrationManager(manager)
            options[key] = nil
        }
        do {
            description.options = try StoreOptions(coreData: options)
        } catch {
            throw .store(error)
        }
        return try addPersistentStore(with: description)
    }

    /// Removes a store from the disk, using the name of its engine.
    ///
    /// - Parameters:
    ///   - url: The store's file or folder.
    ///   - type: The name of the engine, such as ``NSSQLiteStoreType``.
    ///   - options: Must be `nil`, because no option applies to the removal of a store.
    /// - Throws: The errors of `destroyPersistentStore` with a `StoreType`.
    @_disfavoredOverload
    public func destroyPersistentStore(
        at url: URL, ofType type: String, options: Never? = nil
    ) throws(GraphError) {
        try destroyPersistentStore(at: url, ofType: StoreType(type))
    }
}

extension PersistentStoreDescription {
    /// The name of the engine, such as ``NSSQLiteStoreType`` or ``NSInMemoryStoreType``.
    ///
    /// Returns `"SQLite"` until this property or `storeType` is set. Until then, an existing file is
    /// nevertheless opened with the engine that its content indicates.
    public var type: String {
        get { (storeType ?? .sqlite).rawValue }
        set { storeType = StoreType(newValue) }
    }

    /// Sets an option, or removes it if `value` is `nil`. The key may be Core Data's name or Cairn's.
    ///
    /// If the option is not supported, or if a property list cannot contain the value, opening the store
    /// throws `.invalidOption`.
    public func setOption(_ value: NSObject?, forKey key: String) {
        if key == NSPersistentStoreStagedMigrationManagerOptionKey,
            value == nil || value is NSStagedMigrationManager
        {
            return setStagedMigrationManager(value as? NSStagedMigrationManager)
        }
        let named = StoreOption(rawValue: key)
        update { options, errors in
            options[StoreOption(coreDataName: key)] = nil
            errors[named] = nil
            guard let value else { return }
            do throws(StoreError) {
                options.merge(try StoreOptions(coreData: [key: value])) { _, new in new }
            } catch {
                errors[named] = error
            }
        }
    }

    /// Sets a pragma of a SQLite store, or removes it if `value` is `nil`. See ``NSSQLitePragmasOption``.
    public func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        update { options, _ in
            var pragmas: [String: MetadataValue] = [:]
            if case .dictionary(let present)? = options[.sqlitePragmas] { pragmas = present }
            pragmas[name] = value.map { .string("\($0)") }
            options[.sqlitePragmas] = pragmas.isEmpty ? nil : .dictionary(pragmas)
        }
    }
}

extension ManagedObjectContext {
    /// Pins the context to one state of its stores. The same as `setQueryGeneration(from:)`.
    ///
    /// - Throws: The same errors.
    public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws(GraphError) {
        try setQueryGeneration(from: token)
    }
}

extension ManagedObjectContext.ConcurrencyType {
    /// The same as `mainQueue`.
    public static let mainQueueConcurrencyType = Self.mainQueue
    /// The same as `privateQueue`.
    public static let privateQueueConcurrencyType = Self.privateQueue
}

extension FetchRequest {
    /// Whether values are fetched with the IDs: the opposite of `returnsObjectsAsFaults`.
    public var includesPropertyValues: Bool {
        get { !returnsObjectsAsFaults }
        set { returnsObjectsAsFaults = !newValue }
    }
}

extension FetchRequestTemplate.ResultType {
    /// The same as `managedObjects`.
    public static let managedObjectResultType = Self.managedObjects
    /// The same as `objectIDs`.
    public static let managedObjectIDResultType = Self.objectIDs
    /// The same as `dictionaries`.
    public static let dictionaryResultType = Self.dictionaries
    /// The same as `count`.
    public static let countResultType = Self.count
}

extension ObjectID {
    /// The same as `isTemporary`.
    public var isTemporaryID: Bool { isTemporary }
}

extension Relationship {
    /// The same as `destination`.
    public var destinationEntity: Entity { destination }
    /// The same as `inverse`.
    public var inverseRelationship: Relationship? { inverse }
}

extension FetchPredicate {
    /// Creates a predicate that is always true or always false.
    public init(value: Bool) {
        self = .constant(value)
    }

    /// Creates a predicate that is true if all subpredicates are true, or if there are no subpredicates.
    public init(andPredicateWithSubpredicates subpredicates: [FetchPredicate]) {
        self = .and(subpredicates)
    }

    /// Creates a predicate that is true if at least one subpredicate is true. It is false if there are no
    /// subpredicates.
    public init(orPredicateWithSubpredicates subpredicates: [FetchPredicate]) {
        self = .or(subpredicates)
    }

    /// Creates a predicate that is true if the subpredicate is false.
    public init(notPredicateWithSubpredicate subpredicate: FetchPredicate) {
        self = .not(subpredicate)
    }
}
#endif

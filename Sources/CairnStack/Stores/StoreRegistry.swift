import CairnSaveJournal
import CairnStore
import Foundation
import Synchronization

/// The engines with which a coordinator can open stores, by the type strings that users select them by.
///
/// A registry is a value: changing a registry does not affect coordinators that were created with it.
///
/// ```swift
/// var registry = StoreRegistry.builtIn
/// registry.register(CloudStore.self)
/// ```
public struct StoreRegistry: Sendable {
    private var engines: [StoreType: any PersistentStore.Type] = [:]
    /// Migrates stores when they are added. If `nil`, stores of other versions are refused.
    package var migrator: (any StoreMigrating)?

    /// Creates a registry that contains engines, each under its own type.
    public init(_ engines: [any PersistentStore.Type] = []) {
        for engine in engines { register(engine) }
    }

    /// The registered types, sorted by name.
    public var types: [StoreType] { engines.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Adds an engine. Replaces an engine that is registered for the same type.
    ///
    /// - Parameters:
    ///   - engine: The engine to add.
    ///   - type: The string that users select the engine by. `nil` means the engine's own type.
    public mutating func register(_ engine: any PersistentStore.Type, type: StoreType? = nil) {
        engines[type ?? engine.type] = engine
    }

    /// Returns the engine of a type.
    ///
    /// Also finds types that were registered with
    /// ``PersistentStoreCoordinator/registerStoreClass(_:type:)``. This registry's own types take
    /// precedence.
    ///
    /// - Throws: `.unknownType` with all known types.
    public func engine(
        ofType type: StoreType
    ) throws(StoreError) -> any PersistentStore.Type {
        if let engine = engines[type] { return engine }
        let shared = Self.processWide.withLock { $0 }
        if let engine = shared.engines[type] { return engine }
        let known = Set(types).union(shared.types)
        throw .unknownType(type, known: known.sorted { $0.rawValue < $1.rawValue })
    }

    /// Returns the engine of a type whose stores are files.
    ///
    /// - Parameters:
    ///   - type: The type of the engine.
    ///   - location: The store for which the engine is needed. Errors mention it.
    /// - Throws: `.unknownType`; `.unsupported` if the engine's stores are not files.
    package func fileEngine(
        ofType type: StoreType, for location: StoreLocation
    ) throws(StoreError) -> any FileStore.Type {
        if let engine = try engine(ofType: type) as? any FileStore.Type { return engine }
        throw .unsupported(
            location, feature: "the type \(type), whose stores are not files",
            advice: "Open the store to ask it, or name a type whose stores are files.")
    }

    /// Returns the first engine, in the order of type names, that recognizes the file at a location.
    ///
    /// Returns `nil` if no engine recognizes the file. Reads a few bytes for each engine.
    public func engine(recognizing location: StoreLocation) -> (any FileStore.Type)? {
        fileEngines.first { $0.engine.recognizes(location) }?.engine
    }

    /// Runs a closure that opens or reads a store's file. If the file belongs to another engine, the
    /// error names that engine.
    ///
    /// - Throws: The error that `body` throws.
    package func namingForeignFiles<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw namingForeignFile(in: error)
        }
    }

    /// Returns an error that names the kind of the file, if `error` says that the file belongs to
    /// another engine. Otherwise, returns `error`.
    package func namingForeignFile(in error: StoreError) -> StoreError {
        guard case .notAStore(let location, let expected, let found) = error else { return error }
        // The engine that was asked is not asked again, because it knows its own files best.
        let owner = fileEngines.first {
            $0.engine.type != expected && $0.engine.recognizes(location)
        }
        return .notAStore(
            location, expected: expected, found: owner?.engine.fileDescription ?? found)
    }

    /// Returns the type of the store at a location. The type is determined by the store's content, not
    /// by its name. A store of a service has the type whose name, in lower case, is the scheme of its URL.
    ///
    /// Asks each engine, in the order of type names, whether it recognizes the file.
    ///
    /// - Throws: `.notFound`; `.unrecognized` if no engine recognizes the file, such as an empty file, a
    ///   named pipe or an unrelated folder; `.unsupported` for a service whose scheme is the name of no type;
    ///   `.fileFailure` if the file cannot be read.
    public func type(ofStoreAt location: StoreLocation) throws(StoreError) -> StoreType {
        if let service = location.service {
            let scheme = service.urlWithPassword.scheme?.lowercased()
            if let found = allEngines.first(where: { $0.type.rawValue.lowercased() == scheme }) {
                return found.type
            }
            throw .unsupported(
                location, feature: "no type with the name of its scheme",
                advice: "Register its engine, or name the type of the store.")
        }
        if let found = fileEngines.first(where: { $0.engine.recognizes(location) }) {
            return found.type
        }
        guard let url = location.fileURL else { throw .notFound(location) }
        let kind: FileKind
        do {
            kind = try FileKind(ofFileAt: url.path)
        } catch {
            throw [ENOENT, ENOTDIR].contains(error.code) ? .notFound(location) : .fileFailure(error)
        }
        throw .unrecognized(
            location, found: "\(kind)", known: fileEngines.map(\.type))
    }

    /// This registry's engines and those of the whole process, sorted by type name.
    private var allEngines: [(type: StoreType, engine: any PersistentStore.Type)] {
        let shared = Self.processWide.withLock { $0 }
        return shared.engines.merging(engines) { _, own in own }
            .map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
    }

    /// The engines among ``allEngines`` whose stores are files.
    private var fileEngines: [(type: StoreType, engine: any FileStore.Type)] {
        allEngines.compactMap { type, engine in
            (engine as? any FileStore.Type).map { (type, $0) }
        }
    }

    /// The first engine, in the order of type names, whose stores are only in memory. `nil` if there is
    /// no such engine.
    var inMemoryEngine: (any PersistentStore.Type)? {
        types.lazy.compactMap { engines[$0] }.first { !$0.capabilities.isDurable }
    }

    /// The engines that are registered for the whole process.
    private static let processWide = Mutex(StoreRegistry())

    static func registerProcessWide(_ engine: any PersistentStore.Type, type: StoreType?) {
        processWide.withLock { $0.register(engine, type: type) }
    }
}

extension StoreRegistry {
    /// Returns an object that finishes interrupted saves to several stores, including the requested
    /// store.
    ///
    /// - Parameters:
    ///   - monitor: Reports the saves that were finished.
    ///   - open: Returns the stores of the coordinator.
    func recovery(
        for request: OpenRequest, _ options: CoordinatorOptions, _ monitor: OperationMonitor,
        among open: @escaping @Sendable () -> [any PersistentStore]
    ) -> SaveRecovery {
        let registry = self
        // The engine reports an invalid timeout.
        let timeout = (try? request.options.timeout()) ?? .zero
        return SaveRecovery(
            overridesDoubt: options.overridesSaveInDoubt, timeout: timeout,
            whenFinished: { monitor.noteRecoveredSave(ledToBy: $0, without: $1) },
            service: { type, identifier, request, save throws(StoreError) in
                try registry.outcome(of: save, type, identifier, request, among: open())
            }
        ) { type, location throws(StoreError) in try registry.knownEngine(of: type, location) }
    }

    /// Asks the store of a service whether it has a save. Uses an open store with the identifier, if there is one.
    ///
    /// - Throws: The errors of opening the store and of ``PersistentStore/outcome(of:)``; `.notFound` if another store
    ///   is at the location.
    package func outcome(
        of save: SaveID, _ type: StoreType, _ identifier: String, _ request: OpenRequest,
        among stores: [any PersistentStore] = []
    ) throws(StoreError) -> CommitOutcome {
        for store in stores where store.request.location == request.location {
            if try store.metadata().identifier == identifier {
                return try store.outcome(of: save)
            }
        }
        let store = try engine(ofType: type).open(request)
        // The answer is known even if closing fails.
        defer { try? store.close() }
        guard try store.metadata().identifier == identifier else {
            throw .notFound(request.location)
        }
        return try store.outcome(of: save)
    }

    /// Returns the engine of a type whose stores are files. If the type is unknown, returns the engine that recognizes
    /// the file: it may be registered under another name.
    ///
    /// - Throws: The errors of ``fileEngine(ofType:for:)``.
    package func knownEngine(
        of type: StoreType, _ location: StoreLocation
    ) throws(StoreError) -> any FileStore.Type {
        do throws(StoreError) {
            return try fileEngine(ofType: type, for: location)
        } catch {
            guard let engine = engine(recognizing: location) else { throw error }
            return engine
        }
    }
}

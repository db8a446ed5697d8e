import CairnStore
import Synchronization

/// The engines that a coordinator can open stores with, by the type string that users pick them by.
///
/// A value: a registry given to a coordinator does not change under it.
///
/// ```swift
/// var registry = StoreRegistry.builtIn
/// registry.register(CloudStore.self)
/// ```
public struct StoreRegistry: Sendable {
    private var engines: [StoreType: any PersistentStore.Type] = [:]

    /// A registry of these engines, each under its own type.
    public init(_ engines: [any PersistentStore.Type] = []) {
        for engine in engines { register(engine) }
    }

    /// The types that are registered, sorted by name.
    public var types: [StoreType] { engines.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Adds an engine, in place of the one that was registered for the type.
    ///
    /// - Parameter type: the string users pick it by; nil: the engine's own.
    public mutating func register(_ engine: any PersistentStore.Type, type: StoreType? = nil) {
        engines[type ?? engine.type] = engine
    }

    /// Returns the engine of a type.
    ///
    /// Types registered with
    /// ``PersistentStoreCoordinator/registerStoreClass(_:type:)`` are found too; this registry's
    /// own come first.
    ///
    /// - Throws: `.unknownType`, with all types that are known.
    public func engine(
        ofType type: StoreType
    ) throws(StoreError) -> any PersistentStore.Type {
        if let engine = engines[type] { return engine }
        let shared = Self.processWide.withLock { $0 }
        if let engine = shared.engines[type] { return engine }
        let known = Set(types).union(shared.types)
        throw .unknownType(type, known: known.sorted { $0.rawValue < $1.rawValue })
    }

    /// Returns the first engine, by type name, that takes the file at a location for its own.
    ///
    /// nil where none does. Reads a few bytes for each engine.
    public func engine(recognizing location: StoreLocation) -> (any PersistentStore.Type)? {
        let shared = Self.processWide.withLock { $0 }
        let all = shared.engines.merging(engines) { _, own in own }
        return all.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
            .first { $0.recognizes(location) }
    }

    /// The first engine, by type name, whose stores are gone with the process; nil: none is.
    var inMemoryEngine: (any PersistentStore.Type)? {
        types.lazy.compactMap { engines[$0] }.first { !$0.capabilities.isDurable }
    }

    /// Engines that were registered for the whole process.
    private static let processWide = Mutex(StoreRegistry())

    static func registerProcessWide(_ engine: any PersistentStore.Type, type: StoreType?) {
        processWide.withLock { $0.register(engine, type: type) }
    }
}

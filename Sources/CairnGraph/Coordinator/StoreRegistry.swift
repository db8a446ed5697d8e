import CairnStore
import Foundation
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
        allEngines.first { $0.engine.recognizes(location) }?.engine
    }

    /// Returns the type whose store is at a location, judged by its content, not by its name.
    ///
    /// Each engine is asked, in the order of type names, whether it recognizes the file.
    ///
    /// - Throws: `.notFound`; `.unrecognized` where no engine takes it for its own, such as an empty
    ///   file, a named pipe or a folder of something else; `.fileFailure` where it cannot be read.
    public func type(ofStoreAt location: StoreLocation) throws(StoreError) -> StoreType {
        if let found = allEngines.first(where: { $0.engine.recognizes(location) }) {
            return found.type
        }
        guard let url = location.fileURL else { throw .notFound(location) }
        let kind: FileKind
        do throws(FileFailure) {
            kind = try FileKind(ofFileAt: url.path)
        } catch {
            throw [ENOENT, ENOTDIR].contains(error.code) ? .notFound(location) : .fileFailure(error)
        }
        throw .unrecognized(
            location, found: "\(kind)",
            known: allEngines.filter { $0.engine.capabilities.isDurable }.map(\.type))
    }

    /// This registry's engines and those of the whole process, by type name.
    private var allEngines: [(type: StoreType, engine: any PersistentStore.Type)] {
        let shared = Self.processWide.withLock { $0 }
        return shared.engines.merging(engines) { _, own in own }
            .map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
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

import ArgumentParser
import Cairn
import Foundation

/// Where a command finds its store and model.
struct StoreArguments: ParsableArguments {
    @Argument(help: "The store.", completion: .file())
    var store: String

    @Option(help: "A model to use instead of the one inside the store.", completion: .file())
    var model: String?
}

/// A store opened for reading, its engine found by the file's content.
struct ToolStore {
    let engine: any PersistentStore.Type
    let location: StoreLocation
    let metadata: StoreMetadata
    private let modelPath: String?

    /// - Throws: `StoreError`, or ``ToolFailure`` where no engine knows the file.
    init(_ arguments: StoreArguments) throws {
        location = .file(URL(fileURLWithPath: arguments.store))
        guard FileManager.default.fileExists(atPath: arguments.store) else {
            throw StoreError.notFound(location)
        }
        engine = try Self.engine(of: location)
        metadata = try engine.metadata(at: location)
        modelPath = arguments.model
    }

    private static func engine(of location: StoreLocation) throws -> any PersistentStore.Type {
        let registry = StoreRegistry.builtIn
        if let engine = registry.engine(recognizing: location) { return engine }
        throw ToolFailure(
            "\(location) is not a store of any known type ("
                + registry.durableTypes.map(\.rawValue).joined(separator: ", ")
                + "). Check that it is the store's main file and not empty or cut off.")
    }

    /// The model that was given, or the one inside the store.
    ///
    /// - Throws: `ModelError`, `StoreError`, ``ToolFailure`` where there is none.
    func model() throws -> ManagedObjectModel {
        if let modelPath {
            return try ManagedObjectModel(contentsOf: URL(fileURLWithPath: modelPath))
        }
        guard let description = try engine.model(at: location) else {
            throw ToolFailure(
                "\(location) keeps no model (stores of before iOS 9 do not)."
                    + " Give the one it was written with: --model PATH.")
        }
        return try ManagedObjectModel(
            description, recordedHashes: metadata.entityVersionHashes)
    }

    /// Opens the store for reading.
    ///
    /// - Throws: as ``model()`` and the engine's `open`.
    func open() throws -> any PersistentStore {
        try engine.open(
            OpenRequest(
                location: location, model: try model(), isReadOnly: true, createsMissing: false))
    }

    /// Rows of each entity, by name, where the model is given or the engine can tell without.
    ///
    /// - Throws: `StoreError`, `ModelError`.
    func entityCounts() throws -> [String: Int] {
        guard modelPath != nil else { return try engine.entityCounts(at: location) }
        let store = try open()
        defer { try? store.close() }
        return try store.entityCounts()
    }
}

extension StoreRegistry {
    /// The types whose stores are files.
    fileprivate var durableTypes: [StoreType] {
        types.filter { (try? engine(ofType: $0))?.capabilities.isDurable ?? false }
    }
}

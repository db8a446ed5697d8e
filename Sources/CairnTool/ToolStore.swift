import ArgumentParser
import Cairn
import Foundation

/// Where a command finds its store and model.
struct StoreArguments: ParsableArguments {
    @Argument(
        help: "The store.", completion: .file(), transform: PathArgument.init(argument:))
    var store: PathArgument

    @Option(
        parsing: .unconditional,
        help: "A model to use instead of the one inside the store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var model: PathArgument?
}

/// A store opened for reading, its engine found by the file's content.
struct ToolStore {
    let engine: any FileStore.Type
    let location: StoreLocation
    let metadata: StoreMetadata
    private let modelPath: PathArgument?

    /// - Throws: `StoreError`, such as `.unrecognized` where no engine knows the file.
    init(_ arguments: StoreArguments) throws {
        location = .file(try arguments.store.url())
        let registry = StoreRegistry.builtIn
        engine = try registry.fileEngine(
            ofType: registry.type(ofStoreAt: location), for: location)
        metadata = try engine.metadata(at: location)
        modelPath = arguments.model
    }

    /// The model that was given, or the one inside the store, or what its objects show of one.
    ///
    /// - Parameter allowsDerived: whether the last will do.
    /// - Throws: `ModelError`, `StoreError`, ``ToolFailure`` if there is none.
    func model(allowsDerived: Bool = true) throws -> ManagedObjectModel {
        if let modelPath {
            return try ManagedObjectModel(contentsOf: modelPath.url())
        }
        var found = try engine.model(at: location)
        if found == nil, allowsDerived { found = try engine.derivedModel(at: location) }
        guard let description = found else {
            throw ToolFailure(
                "\(location) keeps no model (those of before iOS 9 and XML stores of Core Data's do not)."
                    + " Give the one it was written with: --model PATH.")
        }
        return try ManagedObjectModel(
            description, recordedHashes: metadata.entityVersionHashes)
    }

    /// Opens the store for reading.
    ///
    /// - Throws: as ``model()`` and the engine's `open`.
    func open(allowsDerivedModel: Bool = true) throws -> any PersistentStore {
        try engine.open(
            OpenRequest(
                location: location, model: try model(allowsDerived: allowsDerivedModel),
                isReadOnly: true, createsMissing: false))
    }

    /// What the store takes on disk.
    ///
    /// - Throws: `StoreError`.
    func byteCount() throws(StoreError) -> Int? {
        func byteCount<Engine: FileStore>(
            _ engine: Engine.Type
        ) throws(StoreError) -> Int? { try engine.byteCount(at: location) }
        return try byteCount(engine)
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

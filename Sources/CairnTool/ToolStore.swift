import ArgumentParser
import Cairn
import Foundation

/// A store that the tool reads. The file's content determines the engine.
struct ToolStore {
    let engine: any FileStore.Type
    let location: StoreLocation
    let metadata: StoreMetadata
    private let modelPath: PathArgument?

    /// - Throws: the errors of ``init(_:model:)``.
    init(_ arguments: StoreArguments) throws {
        try self.init(arguments.store, model: arguments.model)
    }

    /// - Parameter model: a model to use instead of the one inside the store.
    /// - Throws: ``ToolFailure`` if no engine recognizes the file; `StoreError`.
    init(_ store: PathArgument, model: PathArgument?) throws {
        location = .file(try store.url())
        engine = try store.engine(at: location)
        metadata = try engine.metadata(at: location)
        modelPath = model
    }

    /// Returns the model that the user passed, or else the model in the store, or else a model that is
    /// inferred from the store's content.
    ///
    /// - Parameter allowsDerived: whether an inferred model is acceptable.
    /// - Throws: `ModelError`, `StoreError`, or ``ToolFailure`` if no model is found.
    func model(allowsDerived: Bool = true) throws -> ManagedObjectModel {
        try modelAndOrigin(allowsDerived: allowsDerived).model
    }

    /// Returns the same model as ``model(allowsDerived:)``, and its origin.
    func modelAndOrigin(
        allowsDerived: Bool = true
    ) throws -> (model: ManagedObjectModel, origin: StoreSurvey.ModelOrigin) {
        if let modelPath { return (try version(of: modelPath), .argument) }
        var found = try engine.model(at: location)
        var origin = StoreSurvey.ModelOrigin.store
        if found == nil, allowsDerived {
            found = try engine.derivedModel(at: location)
            origin = .inferred
        }
        guard let description = found else {
            throw ToolFailure(
                "\(location) contains no model. (Core Data stores written before iOS 9, and its XML"
                    + " stores, never do.) Pass the model it was written with: --model PATH")
        }
        let model = try ManagedObjectModel(
            description, recordedHashes: metadata.entityVersionHashes)
        return (model, origin)
    }

    /// Returns the names of the versions of a model with which the store may have been written, or `nil` if
    /// the store does not record this.
    func names(of model: VersionedModel) -> [String]? {
        let recorded = metadata.entityVersionHashes
        return recorded.isEmpty ? nil : model.names(compatibleWith: recorded)
    }

    /// Returns the version of a model with which the store was written. If the model has no versions, returns
    /// the model itself, whether or not it fits.
    ///
    /// - Throws: `ModelError`, ``ToolFailure`` if the model has versions and none fits the store.
    private func version(of path: PathArgument) throws -> ManagedObjectModel {
        let model = try VersionedModel(contentsOf: path.url())
        if model.versions.count > 1, let names = names(of: model) {
            guard let name = names.last else {
                throw ToolFailure(mismatchText(model, path))
            }
            if let version = model.versions[name] { return version }
        }
        return try model.requireVersion(nil, of: path)
    }

    /// Returns a message which says that no version fits, and how the store differs from the current version.
    func mismatchText(_ model: VersionedModel, _ path: PathArgument) -> String {
        let names = model.names.map { "“\($0)”" }.joined(separator: ", ")
        var text = "\(location) fits no version of \(path.shown) (\(names)): a newer version of the"
        text += " program wrote it, or another program."
        let inside = (try? engine.model(at: location)).flatMap { try? ManagedObjectModel($0) }
        guard let inside, let name = model.currentName ?? model.names.last,
            let version = model.versions[name]
        else { return text + " Give the model it was written with." }
        let lines = ModelChanges(from: version, to: inside).lines
        text += " From “\(name)” to the store: " + lines.joined(separator: ". ")
        return text + ". Leave out --model to use the model inside the store."
    }

    /// Opens the store for reading.
    ///
    /// - Throws: the errors of ``model(allowsDerived:)``, ``requireNoPendingSave()`` and the engine's `open`.
    func open(allowsDerivedModel: Bool = true) throws -> any PersistentStore {
        try requireNoPendingSave()
        return try open(with: try model(allowsDerived: allowsDerivedModel))
    }

    /// Opens the store for reading, even if a save is pending.
    ///
    /// - Throws: the errors of the engine's `open`.
    func open(with model: ManagedObjectModel) throws(StoreError) -> any PersistentStore {
        try engine.open(
            OpenRequest(
                location: location, model: model, isReadOnly: true, createsMissing: false))
    }

    /// Returns the size of the store on disk.
    ///
    /// - Throws: `StoreError`.
    func byteCount() throws(StoreError) -> Int? {
        func byteCount<Engine: FileStore>(
            _ engine: Engine.Type
        ) throws(StoreError) -> Int? { try engine.byteCount(at: location) }
        return try byteCount(engine)
    }

    /// Returns the number of rows of each entity, by name. If there is no model, uses the engine's own count,
    /// if it has one.
    ///
    /// - Throws: `StoreError`, `ModelError`.
    func entityCounts() throws -> [String: Int] {
        guard modelPath != nil else { return try engine.entityCounts(at: location) }
        let store = try open(with: model())
        defer { try? store.close() }
        return try store.entityCounts()
    }
}

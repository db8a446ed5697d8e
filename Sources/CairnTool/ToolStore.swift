import ArgumentParser
import Cairn
import CairnSaveJournal
import CairnStore
import Foundation

/// A store to read. Its engine is recognized by the file's content, or by the scheme of a service's URL.
struct ToolStore {
    let engine: any PersistentStore.Type
    let location: StoreLocation
    let metadata: StoreMetadata
    private let modelPath: PathArgument?

    /// - Throws: The same errors as ``init(_:model:)``.
    init(_ arguments: StoreArguments) throws {
        try self.init(arguments.store, model: arguments.model)
    }

    /// - Parameter model: A model to use instead of the one inside the store.
    /// - Throws: ``ToolFailure`` if no engine recognizes the store; `StoreError`.
    init(_ store: PathArgument, model: PathArgument?) throws {
        location = try store.location()
        engine = try store.engine(at: location)
        modelPath = model
        if let engine = engine as? any ServiceStore.Type {
            metadata = try engine.metadata(at: location)
        } else if let engine = engine as? any FileStore.Type {
            metadata = try engine.metadata(at: location)
        } else {
            throw ToolFailure("\(location) cannot be read without a program that has it open.")
        }
    }

    /// The engine, if its stores are files.
    var fileEngine: (any FileStore.Type)? { engine as? any FileStore.Type }

    /// Returns the model inside the store, or `nil` if it contains none.
    ///
    /// - Throws: `StoreError`.
    func recordedModel() throws(StoreError) -> ModelDescription? {
        if let engine = engine as? any ServiceStore.Type { return try engine.model(at: location) }
        return try fileEngine?.model(at: location)
    }

    /// Returns the given model. If no model was given, returns the model inside the store, or one derived
    /// from its content.
    ///
    /// - Parameter allowsDerived: Whether a derived model is acceptable.
    /// - Throws: `ModelError`, `StoreError`; ``ToolFailure`` if there is no model.
    func model(allowsDerived: Bool = true) throws -> ManagedObjectModel {
        try modelAndOrigin(allowsDerived: allowsDerived).model
    }

    /// Returns the same model as ``model(allowsDerived:)``, together with its source.
    func modelAndOrigin(
        allowsDerived: Bool = true
    ) throws -> (model: ManagedObjectModel, origin: StoreSurvey.ModelOrigin) {
        if let modelPath { return (try version(of: modelPath), .argument) }
        var found = try recordedModel()
        var origin = StoreSurvey.ModelOrigin.store
        if found == nil, allowsDerived {
            found = try fileEngine?.derivedModel(at: location)
            origin = .inferred
        }
        guard let description = found else {
            throw ToolFailure(
                "\(location) contains no model. (Core Data stores written before iOS 9, and its XML"
                    + " stores, never do.) Pass the model that it was written with: --model PATH")
        }
        let model = try ManagedObjectModel(
            description, recordedHashes: metadata.entityVersionHashes)
        return (model, origin)
    }

    /// Returns the names of the model's versions with which the store may have been made. Returns `nil` if
    /// the store does not record any hashes.
    func names(of model: VersionedModel) -> [String]? {
        let recorded = metadata.entityVersionHashes
        return recorded.isEmpty ? nil : model.names(compatibleWith: recorded)
    }

    /// Returns the version of a model with which the store was made. If the model has only one version,
    /// returns it even if it does not fit.
    ///
    /// - Throws: `ModelError`; ``ToolFailure`` if the model has several versions and none fits the store.
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

    /// Returns a message that says that no version fits, and what the store has that the current version
    /// lacks.
    func mismatchText(_ model: VersionedModel, _ path: PathArgument) -> String {
        let names = model.names.map { "“\($0)”" }.joined(separator: ", ")
        var text =
            "\(location) matches no version of \(path.shown) (\(names)): it was written by a newer"
        text += " version of the program or by another program."
        let inside = (try? recordedModel()).flatMap { try? ManagedObjectModel($0) }
        guard let inside, let name = model.currentName ?? model.names.last,
            let version = model.versions[name]
        else { return text + " Pass the model that it was written with." }
        let lines = ModelChanges(from: version, to: inside).lines
        text += " Changes from “\(name)” to the store: " + lines.joined(separator: ". ")
        return text + ". To use the model inside the store, leave out --model."
    }

    /// Opens the store for reading.
    ///
    /// - Throws: The errors of ``model(allowsDerived:)``, ``requireNoPendingSave()`` and the engine's `open`.
    func open(allowsDerivedModel: Bool = true) throws -> any PersistentStore {
        try requireNoPendingSave()
        return try open(with: try model(allowsDerived: allowsDerivedModel))
    }

    /// Opens the store for reading, even if a save is pending.
    ///
    /// - Throws: The errors of the engine's `open`.
    func open(with model: ManagedObjectModel) throws(StoreError) -> any PersistentStore {
        try engine.open(
            OpenRequest(
                location: location, model: model, isReadOnly: true, createsMissing: false))
    }

    /// Returns the size of the store on disk, or `nil` for a store of a service.
    ///
    /// - Throws: `StoreError`.
    func byteCount() throws(StoreError) -> Int? {
        func byteCount<Engine: FileStore>(
            _ engine: Engine.Type
        ) throws(StoreError) -> Int? { try engine.byteCount(at: location) }
        return try fileEngine.flatMap { engine throws(StoreError) in try byteCount(engine) }
    }

    /// Returns the number of rows of each entity, by name. If no model was given, the engine counts the rows,
    /// if it can.
    ///
    /// - Throws: `StoreError`, `ModelError`.
    func entityCounts() throws -> [String: Int] {
        if modelPath == nil, let fileEngine { return try fileEngine.entityCounts(at: location) }
        let store = try open(with: model())
        defer { try? store.close() }
        return try store.entityCounts()
    }
}

extension ToolStore {
    /// Reads the files of an unfinished save in which the store takes part. Returns `nil` if no save is
    /// pending.
    ///
    /// Changes nothing.
    ///
    /// - Throws: `StoreError`.
    func pendingSave() throws(StoreError) -> PendingSaveReport? {
        guard let file = PendingSaveFile(of: location) else { return nil }
        return try PendingSaveReport(of: file)
    }

    /// Checks, before the store is read, that it contains everything that was saved to it.
    ///
    /// Waits if another process is saving to the store. If not, this costs one system call.
    ///
    /// - Throws: ``ToolFailure`` if a save is pending; `StoreError`.
    func requireNoPendingSave() throws {
        guard let file = PendingSaveFile(of: location), file.exists else { return }
        try [self].whileNoSaveIsPending {}
    }
}

extension [ToolStore] {
    /// Runs a body at a time when none of the stores is in the middle of a save over several stores, between
    /// the first and the last commit of the save.
    ///
    /// - Throws: The errors of the body; ``ToolFailure`` if a save is pending; `StoreError`.
    func whileNoSaveIsPending<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws -> Result {
        do {
            return try SaveRecovery.forTool().whileSettled(
                compactMap { PendingSaveFile(of: $0.location) }, mayFinish: false, body)
        } catch {
            guard case .savePending(let save) = error else { throw error }
            throw ToolFailure(pendingSave: save)
        }
    }
}

extension SaveRecovery {
    /// Returns an object that finishes saves to stores of the built-in engines.
    static func forTool(overridesDoubt: Bool = false) -> SaveRecovery {
        let timeout = (try? StoreOptions().timeout()) ?? .zero
        let registry = StoreRegistry.builtIn
        return SaveRecovery(
            overridesDoubt: overridesDoubt, timeout: timeout,
            service: { type, identifier, request, save throws(StoreError) in
                try registry.outcome(of: save, type, identifier, request)
            }
        ) { type, location throws(StoreError) in
            try registry.fileEngine(ofType: type, for: location)
        }
    }
}

extension ToolFailure {
    /// Creates a failure that says that stores were not read because a save is pending, and how to finish the
    /// save.
    init(pendingSave save: InterruptedSave) {
        let stores = save.stores.map(\.description)
        self.init(
            "A save over several stores\(save.id.map { ", \($0)," } ?? "") is not finished:"
                + " \(stores.joined(separator: ", ")). Some of them may contain the save and others not,"
                + " so nothing was read or changed. To see what is pending and to finish it, run: "
                + Self.recoverCommand(stores))
    }

    /// Creates the same failure for an error that says that a save is pending or in doubt. Returns `nil` for
    /// any other error.
    init?(pendingSaveIn error: any Error) {
        switch error {
        case StoreError.savePending(let save), GraphError.store(.savePending(let save)),
            StoreError.saveInDoubt(let save), GraphError.store(.saveInDoubt(let save)):
            self.init(pendingSave: save)
        default: return nil
        }
    }

    /// Returns the command that finishes the save in which the stores take part.
    static func recoverCommand(_ stores: [String]) -> String {
        "cairn store recover " + (stores.first ?? "STORE").quotedForShell
    }
}

extension String {
    /// The text, quoted if necessary, so that a shell reads it as one word.
    var quotedForShell: String {
        let isPlain = allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
        if !isEmpty, isPlain { return self }
        return "'" + replacing("'", with: #"'\''"#) + "'"
    }
}

import ArgumentParser
import Cairn
import CairnSaveJournal
import CairnStore

/// One store, or several stores that are shown as one graph.
///
/// Several stores are numbered from 1, in the order of the command line. Relationships never lead from one
/// store to another, so a store's number before an object's name is enough to distinguish objects of
/// different stores.
struct ToolStores {
    /// The stores. There is at least one.
    let members: [ToolStore]
    private let modelPath: PathArgument?

    /// - Throws: ``ToolFailure`` if the same store is given twice; the same errors as ``ToolStore``.
    init(_ arguments: StoresArguments) throws {
        try self.init(arguments.stores, model: arguments.model)
    }

    /// - Throws: The same errors.
    init(_ stores: [PathArgument], model: PathArgument?) throws {
        modelPath = model
        members = try stores.map { try ToolStore($0, model: model) }
        for (index, store) in members.enumerated() {
            let twin = members[..<index].first {
                $0.metadata.identifier == store.metadata.identifier
            }
            guard let twin else { continue }
            throw ToolFailure(
                "\(twin.location) and \(store.location) are the same store, or copies of one store: both"
                    + " have the identifier \(store.metadata.identifier). Pass only one of them.")
        }
    }

    /// The store if there is only one, or `nil`.
    var only: ToolStore? { members.count == 1 ? members[0] : nil }

    /// Returns the prefix of the names of a store's objects. Empty if there is only one store.
    func prefix(ofStoreAt index: Int) -> String { only == nil ? "\(index + 1):" : "" }

    /// Returns the given model. If no model was given, returns the model inside the only store, or a model
    /// inside one of the stores that fits all of them.
    ///
    /// - Throws: `ModelError`, `StoreError`; ``ToolFailure`` if there is no such model.
    func model() throws -> ManagedObjectModel {
        if let only { return try only.model() }
        if let modelPath { return try version(of: modelPath) }
        var isThere = false
        for store in members {
            guard let description = try store.recordedModel() else { continue }
            isThere = true
            let model = try ManagedObjectModel(
                description, recordedHashes: store.metadata.entityVersionHashes)
            if members.allSatisfy({ $0.fits(model) }) { return model }
        }
        throw ToolFailure(
            isThere
                ? "None of the models inside the stores fits all of the stores. Pass one that does: --model"
                    + " PATH."
                : "None of the stores contains a model. Pass the model that they were written with:"
                    + " --model PATH.")
    }

    /// Returns the version of a model with which all stores were made.
    private func version(of path: PathArgument) throws -> ManagedObjectModel {
        let model = try VersionedModel(contentsOf: path.url())
        guard model.versions.count > 1 else { return try model.requireVersion(nil, of: path) }
        let fitting = members.map { $0.names(of: model) ?? model.names }
        if let index = fitting.firstIndex(of: []) {
            throw ToolFailure(members[index].mismatchText(model, path))
        }
        let shared = model.names.last { name in fitting.allSatisfy { $0.contains(name) } }
        if let version = shared.flatMap({ model.versions[$0] }) { return version }
        throw ToolFailure(
            "The stores have different versions of \(path.shown). Migrate them to one version, or pass"
                + " only one of them.")
    }

    /// Opens the stores for reading and calls the body with them.
    ///
    /// - Throws: ``ToolFailure`` if a save over several stores is pending; the same errors as ``model()``;
    ///   the errors of the engines and of the body.
    func withOpenStores(_ body: ([any PersistentStore]) throws -> Void) throws {
        for store in members { try store.requireNoPendingSave() }
        let model = try model()
        var opened: [any PersistentStore] = []
        defer { for store in opened { try? store.close() } }
        for store in members { opened.append(try store.open(with: model)) }
        try body(opened)
    }

    /// Calls the body with a snapshot of each open store. All snapshots are of the same moment.
    ///
    /// - Throws: ``ToolFailure`` if a save over several stores is pending; the errors of the engines and of
    ///   the body.
    func withSnapshots(
        of stores: [any PersistentStore], _ body: ([any StoreSnapshot]) throws -> Void
    ) throws {
        let snapshots = try snapshots(of: stores)
        defer { for snapshot in snapshots { snapshot.end() } }
        try body(snapshots)
    }

    /// Returns a sentence for each two open stores that do not belong together.
    ///
    /// - Throws: ``ToolFailure`` if a save over several stores is pending; the errors of the engines.
    func mismatches(of stores: [any PersistentStore]) throws -> [String] {
        if stores.count < 2 { return [] }
        let known = try members.whileNoSaveIsPending { () throws(StoreError) in
            try stores.map { store throws(StoreError) -> CommonSaves.Store in
                (store.request.location, try store.metadata())
            }
        }
        return known.indices.flatMap { index in
            known[..<index].compactMap { CommonSaves.mismatch($0, known[index]) }
        }
    }

    private func snapshots(of stores: [any PersistentStore]) throws -> [any StoreSnapshot] {
        if let only = stores.first, stores.count == 1 { return [try only.snapshot()] }
        return try members.whileNoSaveIsPending { () throws(StoreError) in
            var snapshots: [any StoreSnapshot] = []
            for store in stores { snapshots.append(try store.snapshot()) }
            return snapshots
        }
    }
}

extension ToolStore {
    /// Returns whether the store can be opened with a model.
    fileprivate func fits(_ model: ManagedObjectModel) -> Bool {
        metadata.entityVersionHashes.allSatisfy { name, hash in
            guard let entity = model.entity(named: name) else { return false }
            return entity.versionHash == hash || entity.hasDerivedAttribute
        }
    }
}

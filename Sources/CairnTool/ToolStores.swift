import ArgumentParser
import Cairn
import CairnSaveJournal

/// The stores that a command works on. Several stores are shown as one graph.
///
/// If there are several stores, they are numbered from 1 in the order in which the user named them. The name
/// of an object then begins with the number of its store. No relationship leads from one store to another.
struct ToolStores {
    /// The stores, at least one.
    let members: [ToolStore]
    private let modelPath: PathArgument?

    /// - Throws: ``ToolFailure`` if the user named the same store twice; the errors of
    ///   ``ToolStore/init(_:model:)``.
    init(_ arguments: StoresArguments) throws {
        modelPath = arguments.model
        members = try arguments.stores.map { try ToolStore($0, model: arguments.model) }
        for (index, store) in members.enumerated() {
            let twin = members[..<index].first {
                $0.metadata.identifier == store.metadata.identifier
            }
            guard let twin else { continue }
            throw ToolFailure(
                "\(twin.location) and \(store.location) are one store, or copies of one: both have the"
                    + " identifier \(store.metadata.identifier). Give one of them only.")
        }
    }

    /// The store, if it is the only one.
    var only: ToolStore? { members.count == 1 ? members[0] : nil }

    /// Returns the prefix for the names of a store's objects. Returns an empty string if there is only one
    /// store.
    func prefix(ofStoreAt index: Int) -> String { only == nil ? "\(index + 1):" : "" }

    /// Returns the model that the user passed. If the user passed none, returns the model in the only store,
    /// or, of several stores, the first model that is in one of them and fits all of them.
    ///
    /// - Throws: `ModelError`, `StoreError`, or ``ToolFailure`` if no model is found.
    func model() throws -> ManagedObjectModel {
        if let only { return try only.model() }
        if let modelPath { return try version(of: modelPath) }
        var isThere = false
        for store in members {
            guard let description = try store.engine.model(at: store.location) else { continue }
            isThere = true
            let model = try ManagedObjectModel(
                description, recordedHashes: store.metadata.entityVersionHashes)
            if members.allSatisfy({ $0.fits(model) }) { return model }
        }
        throw ToolFailure(
            isThere
                ? "No model inside one of the stores fits all of them. Give one that does: --model PATH."
                : "None of the stores contains a model. Give the one that they were written with:"
                    + " --model PATH.")
    }

    /// Returns the version of a model with which all stores were written.
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
            "The stores are of different versions of \(path.shown). Migrate them to one version, or"
                + " look at each of them alone.")
    }

    /// Opens the stores for reading and calls the body with them.
    ///
    /// - Throws: ``ToolFailure`` if a save over several stores is pending; the errors of ``model()``, of the
    ///   engines and of the body.
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
    /// Whether the store can be opened with a model.
    fileprivate func fits(_ model: ManagedObjectModel) -> Bool {
        metadata.entityVersionHashes.allSatisfy { name, hash in
            guard let entity = model.entity(named: name) else { return false }
            return entity.versionHash == hash || entity.hasDerivedAttribute
        }
    }
}

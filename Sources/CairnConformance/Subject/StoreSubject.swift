import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The store that a rule tests, with methods for the operations that rules often need. Initially, the store
/// is new and empty.
package struct StoreSubject: Sendable {
    /// The harness that provides the rule's stores.
    package let harness: any StoreHarness
    /// The kit's model, which contains every attribute type and every kind of relationship.
    package let model: ManagedObjectModel
    /// The row layouts of the model.
    package let layouts: RowLayouts
    /// The rule's own folder.
    package let folder: URL
    /// The open store under test. It records the rule's calls, so that a violation can list them.
    package let store: any PersistentStore
    /// The seed of all random values in the rule, so that a run can be repeated.
    package let seed: UInt64
    private let log: StepLog

    /// Creates a folder and opens a store in it.
    init(_ harness: any StoreHarness, seed: UInt64 = 0, log: StepLog = StepLog()) throws {
        self.harness = harness
        self.seed = seed
        self.log = log
        model = try KitModel.make()
        layouts = RowLayouts(model)
        folder = FileManager.default.temporaryDirectory
            .appending(path: "cairn-kit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try harness.setUp(for: folder)
            let request = OpenRequest(
                location: harness.location("store", in: folder), model: model, layouts: layouts)
            store = RecordedStore(try harness.open(request), log)
        } catch {
            try? harness.tearDown(for: folder)
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// Opens a store that another process has created.
    init(
        _ harness: any StoreHarness, at location: StoreLocation, isReadOnly: Bool,
        createsMissing: Bool, options: StoreOptions
    ) throws {
        self.harness = harness
        (seed, log) = (0, StepLog())
        model = try KitModel.make()
        layouts = RowLayouts(model)
        folder =
            location.fileURL?.deletingLastPathComponent()
            ?? FileManager.default.temporaryDirectory
        store = try harness.open(
            OpenRequest(
                location: location, model: model, layouts: layouts, isReadOnly: isReadOnly,
                createsMissing: createsMissing, options: options))
    }

    /// Creates a subject for another store of the same rule.
    ///
    /// - Parameter request: The request that the store was opened with.
    init(_ other: StoreSubject, store: any PersistentStore, _ request: OpenRequest) {
        harness = other.harness
        (seed, log) = (other.seed, other.log)
        model = request.model
        layouts = request.layouts
        folder = other.folder
        self.store = store
    }

    /// Closes the store, removes everything that the rule left on the service, and removes the rule's folder.
    func end() throws {
        try? store.close()
        defer { try? FileManager.default.removeItem(at: folder) }
        try harness.tearDown(for: folder)
    }

    /// Returns the engine as a file engine.
    ///
    /// - Throws: ``RuleNotApplicable`` for an engine without files.
    func fileEngine() throws -> any FileStore.Type {
        guard let engine = harness.engine as? any FileStore.Type else {
            throw RuleNotApplicable("its stores are not files")
        }
        return engine
    }

    /// Returns the store as a store that checks itself.
    ///
    /// - Throws: ``RuleNotApplicable`` if the engine's stores do not check themselves.
    func selfChecking() throws -> any SelfCheckingStore {
        guard harness.engine is any SelfCheckingStore.Type,
            let store = store as? any SelfCheckingStore
        else { throw RuleNotApplicable("its stores do not check themselves") }
        return store
    }

    /// The location of the store under test.
    package var location: StoreLocation { store.request.location }

    /// Opens a store with the harness, and records the rule's calls to it.
    package func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        let options = request.options.keys.map(\.rawValue).sorted().joined(separator: ", ")
        let name = request.location.fileURL?.lastPathComponent ?? "\(request.location)"
        let words =
            "open “\(name)”" + (request.isReadOnly ? " for reading" : "")
            + (options.isEmpty ? "" : " with \(options)")
        let store = try log.recording({ words }, { _ in nil }) { () throws(StoreError) in
            try harness.open(request)
        }
        return RecordedStore(store, log)
    }

    /// Opens a store for the given request, which may name another model or configuration.
    func opened(_ request: OpenRequest) throws(StoreError) -> StoreSubject {
        StoreSubject(self, store: try open(request), request)
    }

    /// Opens the store again. The existing handle stays open.
    package func openAgain(
        isReadOnly: Bool = false, createsMissing: Bool = false, options: StoreOptions = [:]
    ) throws -> StoreSubject {
        let request = OpenRequest(
            location: location, model: model, layouts: layouts, isReadOnly: isReadOnly,
            createsMissing: createsMissing, options: options)
        return try opened(request)
    }

    /// Closes the store, and opens it again.
    package func reopened(isReadOnly: Bool = false) throws -> StoreSubject {
        try store.close()
        return try openAgain(isReadOnly: isReadOnly)
    }

    // MARK: The model

    /// Returns the model's entity with the given name.
    package func entity(_ name: String) throws(RuleViolation) -> Entity {
        try requireValue(model.entity(named: name), "the model's entity \(name)")
    }

    /// Returns a relationship of the kit's model. Throws if the model does not have it.
    package func relationship(
        _ entity: String, _ name: String
    ) throws(RuleViolation) -> Relationship {
        try requireValue(
            try self.entity(entity).relationship(named: name), "the model's \(entity).\(name)")
    }

    /// Returns the ID for a key, whether or not the object has a row.
    package func id(_ entity: String, _ key: Int64) throws(RuleViolation) -> ObjectID {
        let entity = try self.entity(entity)
        return ObjectID(
            store: store.number, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: key)
    }

    // MARK: Saving

    /// Packs a row. Properties without an element in `values` are nil.
    package func row(
        _ entity: String, _ key: Int64, version: Int64 = 1, _ values: [String: Value] = [:]
    ) throws -> Row {
        let layout = layouts.layout(of: try self.entity(entity))
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key, version: version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    /// Begins a save, lets the body fill it, and prepares and commits it.
    ///
    /// - Returns: The outcome of the commit.
    @discardableResult
    package func save(_ fill: (inout SaveDraft) throws -> Void) throws -> SaveOutcome {
        let transaction = try store.beginSave()
        var draft = SaveDraft(self, transaction)
        try fill(&draft)
        try transaction.prepare(draft.request)
        return try transaction.commit()
    }

    /// Saves one new object.
    @discardableResult
    package func insert(_ entity: String, _ values: [String: Value] = [:]) throws -> ObjectID {
        var id: ObjectID?
        try save { id = try $0.insert(entity, values) }
        return try requireValue(id, "the ID of the new object")
    }

    /// Saves a new object for each element of `values`, in one save.
    @discardableResult
    package func insertAll(_ entity: String, _ values: [[String: Value]]) throws -> [ObjectID] {
        var ids: [ObjectID] = []
        try save { ids = try $0.insertAll(entity, values) }
        return ids
    }

    /// Returns the error that preparing a save throws, or `nil` if it succeeds. The save is rolled back
    /// in both cases.
    package func refusal(_ fill: (inout SaveDraft) throws -> Void) throws -> StoreError? {
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        var draft = SaveDraft(self, transaction)
        try fill(&draft)
        do {
            try transaction.prepare(draft.request)
            return nil
        } catch {
            return error
        }
    }
}

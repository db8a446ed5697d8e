import CairnEngineKit
import CairnFiles
import CairnModel
import CairnStore
import Foundation
import Synchronization

/// A store of a service that identifies its objects by UUIDs and text, and never by numbers.
///
/// The engine creates the references of new objects when keys are reserved. Two addresses that differ only in
/// their host lead to the same data but number the objects differently, as two processes would.
package final class ReferredStore: ReferencingStore {
    package static let type: StoreType = "Referred"
    package static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, namedSaves: .remembered,
        options: [.timeout])

    package let request: OpenRequest
    package let number: StoreNumber
    package let references: StoreReferences
    private let timeout: Duration
    /// The log and the current state, or `nil` after the store was closed.
    private let opened: Mutex<(log: ServiceLog, state: State)?>

    /// The content of the store after the records before `end`.
    struct State {
        var content: StoreContent
        var end = 0
    }

    package static func open(_ request: OpenRequest) throws(StoreError) -> ReferredStore {
        try request.options.requireKnown(capabilities.options, by: "a referred store")
        let timeout = try request.options.timeout()
        // Refuses a model that cannot be stored before a store is created.
        _ = try StoreContent(request, of: type, store: StoreNumber(rawValue: 1))
        guard request.location.service != nil else {
            throw .unsupported(
                request.location, feature: "no service",
                advice: "Give the URL of a service for a store of type \(type).")
        }
        let log: ServiceLog
        do throws(StoreError) {
            log = try ServiceLog(request.location)
        } catch {
            guard case .notFound = error, request.createsMissing, !request.isReadOnly else {
                throw error
            }
            try ServiceLog.create(
                request.location, ChangeRecord(creatingStoreFor: request))
            log = try ServiceLog(request.location)
        }
        return try ReferredStore(request, log, timeout)
    }

    private init(
        _ request: OpenRequest, _ log: ServiceLog, _ timeout: Duration
    ) throws(StoreError) {
        self.request = request
        self.timeout = timeout
        let records = try log.records(from: 0).records
        let metadata = ChangeRecord.metadata(of: records, type: Self.type)
        try CompatibilityCheck(request: request, stored: metadata.entityVersionHashes).run()
        number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        references = StoreDirectory.shared.references(
            of: Self.kinds(in: request.model),
            boundLater: Set(Self.attributes(in: request.model).keys),
            identifier: metadata.identifier, location: request.location, model: request.model,
            number: number)
        let content = try StoreContent(
            request, of: Self.type, store: number, references: references)
        opened = Mutex((log, State(content: content)))
        _ = try newestState()
    }

    /// Returns the kind of reference for each entity. An attribute that identifies the objects determines the
    /// kind. Without such an attribute, objects are identified by text if the name of the entity has an even
    /// number of letters, and by UUIDs otherwise. The kit's model therefore uses both kinds, and a model with
    /// additional entities keeps the same kinds.
    private static func kinds(
        in model: ManagedObjectModel
    ) -> [String: ReferenceObject.Kind] {
        var kinds: [String: ReferenceObject.Kind] = [:]
        for root in model.entities where root.superentity == nil {
            let name = attributes(in: model)[root.name]
            let isText =
                name.map { name in
                    root.attributes.contains { $0.name == name && $0.type == .string }
                } ?? root.name.count.isMultiple(of: 2)
            kinds[root.name] = isText ? .text : .uuid
        }
        return kinds
    }

    /// Returns the attribute that identifies the objects, by the name of their root entity. It is named in
    /// the entity's user info under `reference`.
    private static func attributes(in model: ManagedObjectModel) -> [String: String] {
        let roots = model.entities.filter { $0.superentity == nil }
        return Dictionary(
            roots.compactMap { root in
                root.description.userInfo["reference"].map { (root.name, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the references that the new objects of a save have in an attribute.
    func bindings() -> ReferenceBindings {
        ReferenceBindings(
            references, attributes: Self.attributes(in: request.model), layouts: request.layouts)
    }

    // MARK: Reading

    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        ContentSnapshot(try newestState().content, requireOpen: requireOpen)
    }

    package func metadata() throws(StoreError) -> StoreMetadata {
        try newestState().content.metadata
    }

    private func newestState() throws(StoreError) -> State {
        try opened.withLock { (opened) throws(StoreError) in
            guard case (let log, var state)? = opened else {
                throw .closed(request.location)
            }
            let (records, end) = try log.records(from: state.end)
            for record in records { try state.content.apply(record) }
            state.end = end
            opened = (log, state)
            return state
        }
    }

    // MARK: Saving

    package func beginSave() throws(StoreError) -> any SaveTransaction { try begin() }

    /// Needs no lock, because no other process creates the same references.
    package func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? {
        try requireOpen()
        if request.isReadOnly { throw .readOnly(request.location) }
        let held = try HeldEntities(request)
        for root in counts.keys { try held.require(root) }
        return try references.reserveKeys(counts)
    }

    package func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        let save = try begin()
        defer { save.rollback() }
        return save.base.content.saves.outcome(of: id)
    }

    private func begin() throws(StoreError) -> ReferredSave {
        guard let log = opened.withLock({ $0?.log }) else { throw .closed(request.location) }
        if request.isReadOnly { throw .readOnly(request.location) }
        let lock = try log.lock(timeout: timeout, for: request.location)
        return ReferredSave(of: self, log, try newestState(), lock)
    }

    /// Makes a saved state the newest one, unless it was read in the meantime.
    func publish(_ state: State) {
        opened.withLock { opened in
            if let known = opened?.state.end, known <= state.end { opened?.state = state }
        }
    }

    @Sendable func requireOpen() throws(StoreError) {
        if opened.withLock({ $0 == nil }) { throw .closed(request.location) }
    }

    package func close() { opened.withLock { $0 = nil } }
}

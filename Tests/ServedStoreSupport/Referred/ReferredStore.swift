import CairnFiles
import CairnModel
import CairnStore
import Foundation
import Synchronization

/// A store of a service that knows its objects by UUIDs and by text, and never sees a number.
///
/// The engine makes the references of new objects when keys are reserved. Two addresses that differ in
/// their host alone lead to the same data, and give them other numbers: as in two processes.
package final class ReferredStore: ReferencingStore {
    package static let type: StoreType = "Referred"
    package static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, namedSaves: .remembered,
        options: [.timeout])

    package let request: OpenRequest
    package let number: StoreNumber
    package let references: StoreReferences
    private let timeout: Duration
    /// `nil` once the store is closed.
    private let opened: Mutex<(log: ServiceLog, state: State)?>

    /// What the store has after the records before `end`.
    struct State {
        var content: StoreContent
        var end = 0
    }

    package static func open(_ request: OpenRequest) throws(StoreError) -> ReferredStore {
        try request.options.requireKnown(capabilities.options, by: "a referred store")
        let timeout = try request.options.timeout()
        // What cannot be kept is refused before a store is made.
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

    /// As the attribute says that identifies the objects. Without one: by text, if the name of the entity
    /// has an even number of letters, otherwise by UUIDs. So the kit's model has both, and a model with
    /// more entities the same.
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

    /// The attribute that identifies the objects, by the name of their root entity: the one that the
    /// entity's user info has under `reference`.
    private static func attributes(in model: ManagedObjectModel) -> [String: String] {
        let roots = model.entities.filter { $0.superentity == nil }
        return Dictionary(
            roots.compactMap { root in
                root.description.userInfo["reference"].map { (root.name, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The references that a save's new objects have in an attribute.
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

    /// Nobody else makes the same references, so this needs no lock.
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

    /// Makes a state that a save has made the newest one, unless it was read meanwhile.
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

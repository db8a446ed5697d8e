import CairnAtomicStore
import CairnModel
import CairnStore
import Foundation

/// A store that lives in memory and is gone with the process.
///
/// Each one opened is new and empty, whatever its location: as in Core Data, the location only
/// names it. A snapshot costs nothing, and readers and the writer never wait for each other. The
/// option `timeout` says how many seconds a save waits for other saves: 5, unless given.
public final class InMemoryStore: SelfCheckingStore {
    /// `"InMemory"`.
    public static let type: StoreType = "InMemory"

    /// Not durable; reads go on during a save; every value comes back as it was; takes `timeout`.
    public static let capabilities = StoreCapabilities(
        readsDuringSave: true, namedSaves: .remembered, options: AtomicOptions.all)

    private let store: AtomicStore

    private init(_ store: AtomicStore) { self.store = store }

    /// Makes a new, empty store.
    ///
    /// - Throws: `.notFound` where it must not be created, or is to be read only; `.invalidOption`;
    ///   `.unsupported` for a derived attribute that cannot be computed, and for a configuration
    ///   that the model does not have.
    public static func open(_ request: OpenRequest) throws(StoreError) -> InMemoryStore {
        guard request.createsMissing, !request.isReadOnly else {
            throw .notFound(request.location)
        }
        let options = try AtomicOptions(request.options, of: "an in-memory store")
        let identifier = UUID().uuidString
        let number = StoreDirectory.shared.number(
            identifier: identifier, location: request.location, model: request.model)
        let schema = try TableSchema(request)
        return InMemoryStore(
            AtomicStore(
                request, number: number,
                content: AtomicContent(new: type, schema, identifier: identifier),
                busyTimeout: options.busyTimeout))
    }

    /// A new one for each store opened, since each has an identifier of its own.
    public var number: StoreNumber { store.number }

    /// What the store was opened with.
    public var request: OpenRequest { store.request }

    /// - Throws: `.closed`.
    public func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }

    /// Costs the same whatever the store holds.
    ///
    /// - Throws: `.closed`.
    public func snapshot() throws(StoreError) -> any StoreSnapshot { try store.snapshot() }

    /// - Throws: `.closed`; `.busy` where others saved for the whole `timeout`.
    public func beginSave() throws(StoreError) -> any SaveTransaction { try store.beginSave() }

    /// Names are forgotten with the store.
    ///
    /// - Throws: as ``beginSave()``.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try store.outcome(of: id)
    }

    /// The bytes that the rows take; what finds them, indexes and pairs, is not counted.
    ///
    /// - Throws: `.closed`.
    public func byteCount() throws(StoreError) -> Int? { try store.rowByteCount() }

    /// Ends the use of the store and forgets all its rows.
    public func close() throws(StoreError) { store.close() }
}

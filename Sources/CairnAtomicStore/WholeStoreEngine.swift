import CairnModel
import CairnStore

/// An engine that holds each open store in memory as a whole.
///
/// An ``AtomicStore`` does what the contract asks of an open store; the engine says where stores come
/// from. An engine whose stores are files conforms to ``AtomicEngine``, which opens them. An engine
/// whose stores are gone with the process makes them with ``AtomicStore/inMemory(_:of:)``.
public protocol WholeStoreEngine: SelfCheckingStore {
    /// Takes the opened store.
    init(_ atomicStore: AtomicStore)

    /// The store that the initializer was given.
    var atomicStore: AtomicStore { get }
}

extension WholeStoreEngine {
    /// The same for the same identifier and location.
    public var number: StoreNumber { atomicStore.number }

    /// What the store was opened with.
    public var request: OpenRequest { atomicStore.request }

    /// - Throws: `.closed`; what reading files throws that another process has written.
    public func metadata() throws(StoreError) -> StoreMetadata { try atomicStore.metadata() }

    /// Costs the same whatever the store holds. If the store is a file, asks the file system whether
    /// another process has saved, and if so reads the whole store.
    ///
    /// - Throws: `.closed`; what reading files throws that another process has written.
    public func snapshot() throws(StoreError) -> any StoreSnapshot { try atomicStore.snapshot() }

    /// - Throws: `.closed`, `.readOnly`; `.fileRemoved` and `.fileReplaced` if the store's file is
    ///   gone, or is another store's; `.busy` if others saved for the whole `timeout`; what reading
    ///   files throws.
    public func beginSave() throws(StoreError) -> any SaveTransaction {
        try atomicStore.beginSave()
    }

    /// Reads what other processes saved, and makes the folder's entry for the store durable. A store
    /// without a file forgets the names when it is closed.
    ///
    /// - Throws: as ``beginSave()``.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try atomicStore.outcome(of: id)
    }

    /// Ends the use of the store.
    public func close() throws(StoreError) { atomicStore.close() }
}

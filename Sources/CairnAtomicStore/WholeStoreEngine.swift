import CairnModel
import CairnStore

/// An engine that holds each open store in memory as a whole.
///
/// An ``AtomicStore`` implements the contract for an open store, and the engine determines where
/// stores come from. An engine whose stores are files conforms to ``AtomicEngine``, which opens
/// them. An engine whose stores end with the process creates them with
/// `AtomicStore.inMemory(_:of:)`.
public protocol WholeStoreEngine: SelfCheckingStore {
    /// Creates the engine's object for an open store.
    init(_ atomicStore: AtomicStore)

    /// The store that was passed to the initializer.
    var atomicStore: AtomicStore { get }
}

extension WholeStoreEngine {
    /// The store's number. It is the same for each store with the same identifier and location, and
    /// the same numbering of entities.
    public var number: StoreNumber { atomicStore.number }

    /// The request that the store was opened with.
    public var request: OpenRequest { atomicStore.request }

    /// Returns the store's metadata.
    ///
    /// - Throws: `.closed`; the errors of reading a file that another process has written.
    public func metadata() throws(StoreError) -> StoreMetadata { try atomicStore.metadata() }

    /// Returns a snapshot. The cost does not depend on the size of the store. If the store is a
    /// file, the file system is asked whether another process has saved. If so, the whole store is
    /// read.
    ///
    /// - Throws: `.closed`; the errors of reading a file that another process has written.
    public func snapshot() throws(StoreError) -> any StoreSnapshot { try atomicStore.snapshot() }

    /// Begins a save.
    ///
    /// - Throws: `.closed`, `.readOnly`; `.fileRemoved` and `.fileReplaced` if the store's file was
    ///   removed or belongs to another store; `.busy` if other saves took longer than `timeout`;
    ///   the errors of reading the file.
    public func beginSave() throws(StoreError) -> any SaveTransaction {
        try atomicStore.beginSave()
    }

    /// Reads what other processes have saved, and makes the folder's entry for the store durable. A
    /// store without a file forgets the names of its saves when it is closed.
    ///
    /// - Throws: the errors of ``beginSave()``.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try atomicStore.outcome(of: id)
    }

    /// Closes the store. Snapshots that are still held throw `.closed` from then on.
    public func close() throws(StoreError) { atomicStore.close() }
}

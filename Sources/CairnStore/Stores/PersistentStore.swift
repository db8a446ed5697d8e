import CairnModel

/// One opened store: where objects live while no context holds them.
///
/// An engine author conforms one final class to this, one to ``StoreSnapshot``, one to
/// ``RowCursor`` and one to ``SaveTransaction``. Calls carry many rows, but for a fault's; a read is a
/// snapshot; a save is begun, prepared and committed. All calls are synchronous, and safe from any
/// thread unless they say otherwise.
///
/// Nothing here is about files. An engine that keeps its stores in files also conforms to
/// ``FileStore``, and one that can check itself to ``SelfCheckingStore``.
///
/// An engine may be simple; it may never be wrong: what it does not do, it says it did not do, and
/// the coordinator finishes it.
public protocol PersistentStore: AnyObject, Sendable {
    /// The name by which users pick the engine.
    static var type: StoreType { get }
    /// What the engine does itself and what it keeps exactly.
    static var capabilities: StoreCapabilities { get }

    /// Opens a store, and creates it where there is none and the request allows that.
    ///
    /// Creation is all or nothing: a failure leaves no file that was not there before. A missing
    /// folder is not made. A location of a kind that the engine does not have, such as a service's for
    /// an engine that keeps files, is refused with `.unsupported`.
    ///
    /// The model of the request must have every entity that an existing store records, with the same
    /// version hash. The model may have more entities, and may give all of them other numbers: the
    /// store has the same objects, and none of the new entities. A save of an object of a new entity
    /// succeeds or throws `.unsupported`.
    ///
    /// - Throws: `.notFound` (read-only, or creation not allowed), `.folderMissing`, `.notAStore`,
    ///   `.modelMismatch`, `.invalidOption`, `.unsupported`, `.readOnly`, `.busy`, `.locked`,
    ///   `.corrupt`, `.fileFailure`, `.engineFailure`.
    static func open(_ request: OpenRequest) throws(StoreError) -> Self

    /// The number in the IDs of this store's objects.
    var number: StoreNumber { get }
    /// What the store was opened with; its `location` names the store in errors.
    var request: OpenRequest { get }

    /// Returns what the store says of itself now, including what other handles and processes saved.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func metadata() throws(StoreError) -> StoreMetadata

    /// Returns one consistent state of the store: the newest that was committed.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func snapshot() throws(StoreError) -> any StoreSnapshot

    /// Returns the generation of the newest state: that of a snapshot taken now. An engine that
    /// can tell without taking one says so here.
    ///
    /// - Throws: as ``snapshot()``.
    func newestGeneration() throws(StoreError) -> StoreGeneration

    /// Begins a save and takes the store's write lock, which also excludes other processes.
    ///
    /// Waits for other saves up to the store's option `timeout`, if the engine has it, and then throws
    /// `.busy`.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.busy`, `.corrupt`, `.fileFailure`, `.engineFailure`.
    func beginSave() throws(StoreError) -> any SaveTransaction

    /// Closes the store. Snapshots that are still held throw `.closed` from then on.
    ///
    /// Closing a store twice has no effect.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`; the store is closed all the same.
    func close() throws(StoreError)
}

extension PersistentStore {
    /// Takes a snapshot to ask it.
    public func newestGeneration() throws(StoreError) -> StoreGeneration {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        return snapshot.generation
    }
}

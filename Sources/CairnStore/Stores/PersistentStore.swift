import CairnModel

/// One opened store: where objects live while no context holds them.
///
/// An engine author conforms one final class to this, one to ``StoreSnapshot``, one to
/// ``RowCursor`` and one to ``SaveTransaction``. Calls carry many rows, except those for a single
/// fault. A read is a snapshot; a save is begun, prepared and committed. All calls are synchronous,
/// and safe from any thread unless they say otherwise.
///
/// Nothing here is about files. An engine that keeps its stores in files also conforms to
/// ``FileStore``, and one that can check itself to ``SelfCheckingStore``.
///
/// An engine may be simple; it may never be wrong: what it does not do, it says it did not do, and
/// the coordinator finishes it.
///
/// A call that throws has no effect later. If an engine sends requests to a service, it makes sure
/// that a request whose answer it no longer waits for changes nothing. The coordinator does not send
/// such a request again by itself, except as ``EngineFailure/isTransient`` says.
///
/// Each call may throw `.deadlineExceeded`, as ``StoreDeadline`` says, also if its own list of errors
/// does not name it.
public protocol PersistentStore: AnyObject, Sendable {
    /// The name by which users pick the engine.
    static var type: StoreType { get }
    /// What the engine does itself and what it keeps exactly.
    static var capabilities: StoreCapabilities { get }

    /// Opens a store. Creates a missing store if the request allows that.
    ///
    /// Creation is all or nothing: a failure leaves no file that was not there before. A missing
    /// folder is not made: `.folderMissing`. The store is at exactly the path that the location names,
    /// whatever characters the path has. A file or folder of something else is refused with
    /// `.notAStore`, or with `.corrupt` if it looks like a damaged store of this engine, and left as
    /// it was.
    ///
    /// A location of a kind that the engine does not have, such as a service's for an engine that
    /// keeps files, is refused with `.unsupported`. An engine whose stores are not durable takes every
    /// location as a name. A model with derived attributes is refused with `.unsupported` if the
    /// engine does not compute them.
    ///
    /// The model of the request must have every entity that an existing store records, with the same
    /// version hash. Otherwise `.modelMismatch` names each entity that differs. The model may have more entities, and may give all of them other numbers: the
    /// store has the same objects, and none of the new entities. A save of an object of a new entity
    /// succeeds or throws `.unsupported`.
    ///
    /// - Throws: `.notFound` (read-only, or creation not allowed), `.folderMissing`, `.notAStore`,
    ///   `.modelMismatch`, `.invalidOption`, `.unsupported`, `.readOnly`, `.busy`, `.locked`,
    ///   `.corrupt`, `.fileFailure`, `.hardLinked`, `.deadlineExceeded`, `.engineFailure`.
    static func open(_ request: OpenRequest) throws(StoreError) -> Self

    /// The number in the IDs of this store's objects.
    var number: StoreNumber { get }
    /// What the store was opened with; its `location` names the store in errors.
    var request: OpenRequest { get }

    /// Returns what the store says of itself now, including what other handles and processes saved.
    ///
    /// Can be called while a save is begun, also on the save's thread, and does not show that save
    /// before its commit. The call may throw `.busy` then if readers wait for saves
    /// (``StoreCapabilities/readsDuringSave``).
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func metadata() throws(StoreError) -> StoreMetadata

    /// Returns one consistent state of the store: the newest that was committed.
    ///
    /// Any number of snapshots can be held at a time, of the same state and of different ones.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func snapshot() throws(StoreError) -> any StoreSnapshot

    /// Returns the generation of the newest state: that of a snapshot taken now. An engine that
    /// can tell without taking one says so here.
    ///
    /// - Throws: as ``snapshot()``.
    func newestGeneration() throws(StoreError) -> StoreGeneration

    /// Begins a save and takes the store's write lock, which also excludes other processes. A store
    /// that was opened for reading throws `.readOnly`.
    ///
    /// The lock is one way to see to it that conflicts are detected, and the simplest. An engine that
    /// sees to it in another way says so (``StoreCapabilities/savesInParallel``) and takes no lock of
    /// the whole store.
    ///
    /// Waits for other saves up to the store's option `timeout`, if the engine has it, and then throws
    /// `.busy`. The waiting is the engine's: the coordinator does not try a call again that threw
    /// `.busy`, and passes the error on to its caller.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.busy`, `.corrupt`, `.fileFailure`, `.engineFailure`;
    ///   `.deadlineExceeded`; `.cancelled` if the running task was cancelled during the wait;
    ///   `.hardLinked`, `.fileRemoved` and `.fileReplaced` of a store that is a file, or `.notAStore` if
    ///   the engine reads the file again and finds that the other one is not a store.
    func beginSave() throws(StoreError) -> any SaveTransaction

    /// Begins a save as ``beginSave()`` does, and reserves keys for it as
    /// ``SaveTransaction/reserveKeys(_:)`` does, in one step.
    ///
    /// The coordinator begins every save with this call. An engine on another machine implements it
    /// as one message, so that a save of any size is three: this one, prepare and commit. If it
    /// throws, no save was begun.
    ///
    /// The default implementation makes the two calls, and asks for the newest generation if
    /// snapshots can be taken during a save.
    ///
    /// - Throws: what ``beginSave()`` and ``SaveTransaction/reserveKeys(_:)`` throw.
    func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave

    /// Reserves keys apart from any save and without the store's write lock, for each root entity a
    /// range of as many as are asked for. Returns `nil` if the engine reserves keys only in a save.
    ///
    /// A key is never given twice, also if no save uses it. If an engine can reserve keys apart, the
    /// coordinator packs the rows of new objects before it begins the save, so that nobody waits
    /// for the packing. The default implementation returns `nil`.
    ///
    /// - Throws: what ``SaveTransaction/reserveKeys(_:)`` throws; `.readOnly`.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]?

    /// Returns whether the save with this name (``SaveRequest/id``) took place, after its transaction
    /// has ended or its process has died.
    ///
    /// A store remembers the names of at least its last 1,000 named saves. A name that it does not
    /// remember is answered with `.notSaved` only if the store knows that it never recorded the name,
    /// and with `.forgotten` otherwise.
    ///
    /// The answer is final: the save does not take place after `.notSaved`, and is durable after
    /// `.saved`. What a failed commit left half written must not change that, nor a commit that is
    /// still on its way. So the call takes the write lock, waits for it as ``beginSave()`` does, and
    /// may write.
    ///
    /// The default implementation returns `.forgotten`, for engines that record no names.
    ///
    /// - Throws: what ``beginSave()`` throws, `.closed` and `.readOnly` among it;
    ///   `.commitOutcomeUnknown` if the answer could not be made final.
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome

    /// Whether a commit of this handle survives a power cut as soon as it returns. `false` if an option
    /// of the engine gave that up for speed. The default implementation returns `true`.
    var commitsDurably: Bool { get }

    /// Makes every save that was committed survive a power cut, those of other handles and processes
    /// included. The default implementation does nothing, for engines whose commits always do.
    ///
    /// The coordinator calls it before it forgets how to repeat a save over several stores.
    ///
    /// - Throws: `.closed`, `.fileFailure`, `.engineFailure`.
    func synchronize() throws(StoreError)

    /// Closes the store. Snapshots that are still held throw `.closed` from then on.
    ///
    /// The cursors of these snapshots do so too, and a save that was begun can only be rolled back:
    /// nothing of it is saved. Batches that were read can still be used. Closing a store twice has no
    /// effect. Other handles of the same store stay open.
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

    /// Begins the save, then reserves the keys.
    public func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        let transaction = try beginSave()
        do throws(StoreError) {
            let keys = counts.isEmpty ? [:] : try transaction.reserveKeys(counts)
            let generation = Self.capabilities.readsDuringSave ? try newestGeneration() : nil
            return BegunSave(transaction, keys: keys, generation: generation)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// Returns `nil`.
    public func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? { nil }

    /// Returns `true`.
    public var commitsDurably: Bool { true }

    /// Does nothing.
    public func synchronize() throws(StoreError) {}

    /// Returns `.forgotten`.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome { .forgotten }
}

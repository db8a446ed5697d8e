import CairnModel

/// An open store, which keeps objects independently of any context.
///
/// The author of an engine writes four final classes, which conform to this protocol,
/// ``StoreSnapshot``, ``RowCursor`` and ``SaveTransaction``. Each call carries many rows, except
/// the calls that serve a single fault. Reads go through a snapshot. A save is begun, prepared and
/// committed. All calls are synchronous. They are safe to make from any thread unless their
/// documentation says otherwise.
///
/// This protocol does not mention files. An engine that keeps its stores in files also conforms to
/// ``FileStore``, and an engine that can check its stores also conforms to ``SelfCheckingStore``.
///
/// An engine may leave parts of the work to the coordinator, but its own results must be correct.
/// It reports which parts it has not done, and the coordinator does them.
///
/// A call that throws has no effect afterwards. An engine that sends requests to a service must
/// make sure that a request changes nothing once the engine has stopped waiting for the answer. The
/// coordinator does not repeat such a request, except as described in
/// ``EngineFailure/isTransient``.
///
/// Every call may throw `.deadlineExceeded`, even if the call's list of errors does not contain
/// this error: see ``StoreDeadline``.
public protocol PersistentStore: AnyObject, Sendable {
    /// The name by which users choose the engine.
    static var type: StoreType { get }
    /// What the engine does itself, and which values it stores exactly.
    static var capabilities: StoreCapabilities { get }

    /// Opens a store. Creates a missing store if the request allows that.
    ///
    /// If a creation fails, no file is left that was not there before. Folders are not created: if
    /// the folder is missing, `.folderMissing` is thrown. The store is at exactly the path that the
    /// location names, whatever characters the path contains. A file or folder that is not a store
    /// of this engine is refused with `.notAStore`, or with `.corrupt` if it looks like a damaged
    /// store of this engine. It is not changed.
    ///
    /// A location of a kind that the engine does not support is refused with `.unsupported`, for
    /// example the address of a service if the engine keeps files. An engine whose stores are not
    /// durable accepts every location and treats it as a name. No error contains the password of an
    /// address. A model with derived attributes is refused with `.unsupported` if the engine does not
    /// compute them.
    ///
    /// The model of the request must have every entity that an existing store records, with the
    /// same version hash. Otherwise `.modelMismatch` names each entity that differs. Entities outside
    /// the request's configuration may differ if the store has no objects of them, unless the engine
    /// throws `.unsupported`. The model may have more entities, and may number all of them
    /// differently. The store then has the same objects as before, and none of the new entities.
    /// Saving an object of a new entity succeeds or throws `.unsupported`.
    ///
    /// - Throws: `.notFound` if the store is missing, and the request is read-only or does not
    ///   allow creation. `.folderMissing`, `.notAStore`, `.modelMismatch`, `.invalidOption`,
    ///   `.unsupported`, `.readOnly`, `.busy`, `.locked`, `.corrupt`, `.fileFailure`,
    ///   `.hardLinked`, `.deadlineExceeded`, `.engineFailure`.
    static func open(_ request: OpenRequest) throws(StoreError) -> Self

    /// The number that identifies this store in the IDs of its objects.
    var number: StoreNumber { get }
    /// The request that the store was opened with. Errors name the store by its `location`.
    var request: OpenRequest { get }

    /// Returns the store's current metadata, including changes that other handles and processes
    /// have saved.
    ///
    /// This method can be called during a save, also on the thread of the save. Metadata of that
    /// save is not returned before its commit. If readers wait for saves (see
    /// ``StoreCapabilities/readsDuringSave``), a call during a save may throw `.busy`.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func metadata() throws(StoreError) -> StoreMetadata

    /// Returns a snapshot of the newest committed state.
    ///
    /// Any number of snapshots can be held at the same time, of the same state or of different
    /// states.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    func snapshot() throws(StoreError) -> any StoreSnapshot

    /// Returns the newest committed state, to be copied to a new file while saves go on. Returns
    /// `nil` if the engine cannot copy its stores, or if they are not files: a backup then copies the
    /// rows of a snapshot.
    ///
    /// The caller may hold the store's write lock. Any number of states can be held at the same time.
    /// The default implementation returns `nil`.
    ///
    /// - Throws: the errors of ``snapshot()``; `.fileFailure`.
    func stateToCopy() throws(StoreError) -> (any StateToCopy)?

    /// Returns the generation of the newest state, which a snapshot taken now would have. Implement
    /// this method if the engine can tell without taking a snapshot. The default implementation
    /// takes one.
    ///
    /// - Throws: the errors of ``snapshot()``.
    func newestGeneration() throws(StoreError) -> StoreGeneration

    /// Begins a save and takes the store's write lock, which also excludes other processes. Throws
    /// `.readOnly` if the store was opened for reading.
    ///
    /// The lock is the simplest way to make sure that conflicts are detected. An engine that
    /// detects them in another way sets ``StoreCapabilities/savesInParallel`` and does not lock the
    /// whole store.
    ///
    /// If the store can be read during a save (``StoreCapabilities/readsDuringSave``), a snapshot
    /// that is taken during the save shows the state that the save changes, with all earlier saves
    /// by other handles and processes. This also applies after `prepare`. In such a snapshot, the
    /// coordinator looks for references that the save would break.
    ///
    /// If the engine has the option `timeout`, this method waits for other saves up to that time,
    /// and then throws `.busy`. Only the engine waits: the coordinator does not repeat a call that
    /// threw `.busy`, but passes the error on to its caller.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.busy`, `.corrupt`, `.fileFailure`, `.engineFailure`;
    ///   `.deadlineExceeded`; `.cancelled` if the running task was cancelled during the wait. A
    ///   store in a file also throws `.hardLinked`, `.fileRemoved` and `.fileReplaced`. If the
    ///   engine reads a replaced file and finds that it is not a store, it throws `.notAStore`.
    func beginSave() throws(StoreError) -> any SaveTransaction

    /// Begins a save like ``beginSave()`` and reserves keys for it like
    /// ``SaveTransaction/reserveKeys(_:)``, in one step.
    ///
    /// The coordinator begins every save with this call. An engine on another machine implements it
    /// as one message, so that a save of any size takes three messages: this one, prepare and
    /// commit. If this method throws, no save has been begun.
    ///
    /// The default implementation makes the two calls. It also asks for the newest generation if
    /// snapshots can be taken during a save.
    ///
    /// - Throws: the errors of ``beginSave()`` and ``SaveTransaction/reserveKeys(_:)``.
    func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave

    /// Reserves keys outside of any save, without the store's write lock. Returns, for each root
    /// entity, a range with the requested number of keys. Returns `nil` if the engine reserves keys
    /// only during a save.
    ///
    /// A key is never reserved twice, even if no save uses it. If an engine can reserve keys
    /// outside of saves, the coordinator packs the rows of new objects before it begins the save,
    /// so that other savers do not wait for the packing. The default implementation returns `nil`.
    ///
    /// - Throws: the errors of ``SaveTransaction/reserveKeys(_:)``; `.readOnly`.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]?

    /// Returns whether the save with this name (``SaveRequest/id``) took place. Call this method
    /// after the save's transaction has ended or its process has died.
    ///
    /// A store remembers the names of at least its last 1,000 named saves. For a name that it does
    /// not remember, it returns `.notSaved` only if it knows that it never recorded the name, and
    /// `.forgotten` otherwise.
    ///
    /// The answer is final. After `.notSaved` the save never takes place, and after `.saved` it is
    /// durable. Neither the remains of a failed commit nor a commit that is still on its way may
    /// change that. Therefore this method takes the write lock, waits for it like ``beginSave()``,
    /// and may write.
    ///
    /// The default implementation returns `.forgotten`. It is meant for engines that do not record
    /// names.
    ///
    /// - Throws: the errors of ``beginSave()``, including `.closed` and `.readOnly`;
    ///   `.commitOutcomeUnknown` if the answer could not be made final.
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome

    /// Whether a commit of this handle survives a power failure as soon as it returns. Return
    /// `false` if an option of the engine gives up this guarantee for speed. The default
    /// implementation returns `true`.
    var commitsDurably: Bool { get }

    /// Makes every committed save survive a power failure, including saves by other handles and
    /// processes. The default implementation does nothing. It is meant for engines whose commits
    /// are always durable.
    ///
    /// The coordinator calls this method before it discards the information needed to repeat a save
    /// over several stores.
    ///
    /// - Throws: `.closed`, `.fileFailure`, `.engineFailure`.
    func synchronize() throws(StoreError)

    /// Closes the store. Snapshots that are still held throw `.closed` from then on.
    ///
    /// The cursors of these snapshots throw `.closed`, too. A save that was begun can only be
    /// rolled back, and nothing of it is saved. Batches that were read can still be used. Closing a
    /// store twice has no effect. Other handles of the same store stay open.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`. The store is closed even if an error is thrown.
    func close() throws(StoreError)
}

extension PersistentStore {
    /// Takes a snapshot and returns its generation.
    public func newestGeneration() throws(StoreError) -> StoreGeneration {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        return snapshot.generation
    }

    /// Returns `nil`.
    public func stateToCopy() throws(StoreError) -> (any StateToCopy)? { nil }

    /// Begins the save, then reserves the keys. Rolls the save back if that fails.
    public func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        let transaction = try beginSave()
        do {
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

extension PersistentStore {
    /// Counts the rows of each entity of the store's model. Rows of subentities count only for the
    /// subentity.
    ///
    /// The engine is asked for each count. If it cannot tell, the IDs are read and counted.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    package func entityCounts() throws(StoreError) -> [String: Int] {
        let snapshot = try snapshot()
        var counts: [String: Int] = [:]
        for entity in request.model.entities {
            let plan = FetchPlan(entity: entity, includesSubentities: false, output: .ids)
            if let count = try snapshot.count(plan) {
                counts[entity.name] = count
            } else {
                counts[entity.name] = try snapshot.countByReading(plan)
            }
        }
        return counts
    }
}

extension StoreSnapshot {
    fileprivate func countByReading(_ plan: FetchPlan) throws(StoreError) -> Int {
        let cursor = try cursor(plan)
        var count = 0
        while let batch = try cursor.next(atMost: 10_000) { count += batch.count }
        return count
    }
}

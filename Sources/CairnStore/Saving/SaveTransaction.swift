import CairnModel
import CairnRows

/// A save in one store, which is begun, prepared and committed.
///
/// The transaction holds the store's write lock until `commit` or `rollback` returns, or until the
/// transaction is released. In a store that saves in parallel
/// (``StoreCapabilities/savesInParallel``), it holds whatever the engine needs to detect conflicts.
/// It is begun, used and ended on one thread, because some libraries require that (LMDB does).
///
/// The store and its metadata can be read during the save, as described in
/// ``PersistentStore/metadata()``.
///
/// A call out of order throws `.engineFailure` and changes nothing. Such calls are a second
/// `prepare`, a `commit` without a successful `prepare`, and any call except `rollback` after the
/// transaction has ended.
public protocol SaveTransaction: AnyObject {
    /// Reserves keys for new objects. Returns, for each root entity, a range with the requested
    /// number of keys.
    ///
    /// Keys are reserved before rows are packed, because a row contains its own key and the keys of
    /// its to-one relationships. Keys are counted by root entity, because most engines store the
    /// objects of a hierarchy in one table or tree, and because an ID names the root entity. They
    /// come as ranges, so that one call serves a save of any size. The coordinator also reserves
    /// keys in a save that it commits without any other changes.
    ///
    /// A key is never reserved twice, even if the save that reserved it is rolled back. The ID of
    /// an object that was deleted or never saved may still exist in a context, or in a URI outside
    /// of the program, and must not lead to another object. Keys are greater than 0 and greater
    /// than every key in the store. An entity with a count of 0 is left out of the result. An engine may
    /// reserve keys in blocks, which are greater than the keys that are in the store at that time.
    ///
    /// - Throws: `.closed`, `.keysExhausted`, `.unsupported` for an entity that the store does not
    ///   hold, `.corrupt`, `.engineFailure`.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]

    /// Keeps all other saves of the store waiting until the transaction ends, also those of other
    /// processes. Called before anything is prepared, for example while the store is exchanged.
    ///
    /// The default implementation does nothing. It is meant for engines whose saves follow each other.
    ///
    /// - Throws: `.busy` if others did not end within the time of the option `timeout`; `.closed`,
    ///   `.engineFailure`.
    func keepOthersWaiting() throws(StoreError)

    /// Checks the request and writes it, without making it visible to anyone.
    ///
    /// This method is called at most once. A second call throws `.engineFailure`, and what the
    /// first call prepared can still be committed. After any other error, the transaction can only
    /// be rolled back, and no part of the request may take effect later.
    ///
    /// All row conflicts are reported before any uniqueness conflict. The values of a uniqueness
    /// constraint are compared together: rows conflict if all properties of the constraint are
    /// equal. `nil` is not equal to anything, so a row with a `nil` property conflicts with no
    /// other row. Text and binary data are compared byte by byte (empty data is a value), and
    /// derived attributes are compared by the values that the store computed. Constraints apply to
    /// the state after the save. Therefore objects can exchange their values, and a value can be
    /// used again if the same save deletes its object or gives the object another value.
    ///
    /// The coordinator checks references after this method, in a snapshot (see
    /// ``PersistentStore/beginSave()``). An engine that saves in parallel, or whose stores cannot be
    /// read during a save, checks them itself. In relationships with an inverse, the request must
    /// not leave references that a ``ReferenceConflict`` describes.
    /// Members of a to-many relationship whose delete rule is noAction may refer to a deleted
    /// object, and references that were in the store before are not checked. Reference conflicts
    /// are reported after row conflicts and before uniqueness conflicts.
    ///
    /// A row may refer to bytes outside of itself (``ExternalReference``) only if this store wrote
    /// them. For a reference to bytes that the store does not have, either this method throws
    /// `.unsupportedValue`, or reading the bytes throws `.externalDataMissing`.
    ///
    /// A request with a name (``SaveRequest/id``) is refused with `.saveNameTooSmall` if the name is
    /// not greater than the greatest name that the store has forgotten, whatever the clock says.
    /// Otherwise ``PersistentStore/outcome(of:)`` could never tell whether the save took place.
    ///
    /// - Throws: `.rowConflicts` and `.uniquenessConflicts`, each with every conflict and the rows
    ///   that are in the store now; `.referenceConflicts` with every conflict if the engine checks
    ///   references; `.saveNameTooSmall`; `.unsupportedValue`; `.unsupported` for a row of an
    ///   abstract entity or of an entity that the store does not hold; `.cancelled` if the
    ///   request's ``SaveRequest/reporter`` ends the save; `.closed`, `.corrupt`, `.fileFailure`;
    ///   `.engineFailure`, also for a request that is not well formed; `.busy` if the store saves in parallel
    ///   and others have locked the same objects or values for the time of the option `timeout`.
    func prepare(_ request: SaveRequest) throws(StoreError)

    /// Checks a request and writes it on top of those that were prepared before, so that one commit
    /// makes all of them durable. Returns the rows that differ from those in the request because the
    /// store computed some of their values, as ``SaveOutcome/recomputed`` describes.
    ///
    /// The coordinator prepares the saves that have waited together in this way if the engine groups
    /// saves (``StoreCapabilities/groupsSaves``), and never calls ``prepare(_:)`` in the same
    /// transaction. Each request is a save of its own: it is checked as ``prepare(_:)`` describes,
    /// against the state that the requests before it have created, and it has its own name and its
    /// own transaction in the history.
    ///
    /// If this method throws, no part of the request takes effect later, and the requests before it
    /// can still be committed. If a failure of the medium makes that impossible, every later call
    /// except `rollback` throws.
    ///
    /// If the engine takes parts (``StoreCapabilities/savesInParts``), a save that is too large for one
    /// request comes in parts (``SaveRequest/part``), which are the only requests of their
    /// transaction. They are one save: they add one transaction to the history, with the changes of all parts in order. Each part is checked against the state that
    /// the parts before it have created, and changes other objects than they do. A refused part ends
    /// the save: the transaction can only be rolled back. Therefore an engine need not keep what it
    /// would need to write the parts again. An engine that has to write all of them again throws a
    /// transient `.engineFailure`, and the coordinator saves once more. An engine that checks references
    /// itself checks those of all parts together, at the latest in ``commit()``.
    ///
    /// The default implementation calls ``prepare(_:)``, which refuses a second request.
    ///
    /// - Throws: the errors of ``prepare(_:)``.
    func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch

    /// Discards the request that ``prepareNext(_:)`` has just prepared. The requests before it can
    /// still be committed.
    ///
    /// The coordinator calls this method if the request breaks references. The cost may be that of
    /// preparing the requests before it again. The default implementation rolls the save back.
    ///
    /// - Throws: `.engineFailure` if ``prepareNext(_:)`` was not the last call that prepared or
    ///   discarded a request; `.closed`, `.corrupt`, `.fileFailure`.
    func discardLast() throws(StoreError)

    /// Returns, for each deleted object, the objects that will still refer to it after the prepared
    /// save. Returns `nil` if the engine cannot read what it has prepared.
    ///
    /// The coordinator checks with this method that a deletion breaks no references. The answer is
    /// usually empty, because the save also changes or deletes the members that it knows. If the
    /// answer is `nil`, the coordinator reads a snapshot instead, which still has all members. The
    /// default implementation returns `nil`.
    ///
    /// - Parameters:
    ///   - relationship: a to-many relationship whose inverse, a to-one relationship, leads to the
    ///     deleted objects.
    ///   - owners: objects that the request that was prepared last deletes, or another part of the
    ///     same save, in the order of the answer.
    /// - Throws: `.engineFailure` if nothing was prepared; `.closed`, `.corrupt`.
    func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs?

    /// Makes the prepared changes durable and visible, all at once. If they were prepared by
    /// ``prepareNext(_:)``, the outcome contains no rows.
    ///
    /// - Throws: `.commitOutcomeUnknown` if the engine does not know whether the save took place:
    ///   ask ``PersistentStore/outcome(of:)``. After any other error, nothing was saved: `.closed`,
    ///   `.fileFailure`, `.engineFailure`; `.busy` if readers in other processes kept the engine
    ///   from writing for the time of the option `timeout`; `.rowConflicts`, `.referenceConflicts`,
    ///   `.uniquenessConflicts` and `.saveNameTooSmall` if the store saves in parallel;
    ///   `.fileRemoved` and `.fileReplaced` if the store is a file.
    func commit() throws(StoreError) -> SaveOutcome

    /// Discards the prepared changes. Has no effect after `commit()` or a previous `rollback()`.
    /// The generation may increase, for example because the reserved keys are recorded.
    func rollback()
}

extension SaveTransaction {
    /// Does nothing, for engines whose saves follow each other.
    public func keepOthersWaiting() throws(StoreError) {}

    /// Prepares the request as the only one of the save. The computed rows are in the outcome of the
    /// commit.
    public func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        try prepare(request)
        return RowBatch()
    }

    /// Rolls the save back.
    public func discardLast() throws(StoreError) { rollback() }

    /// Returns `nil`, for an engine that cannot read what it has prepared.
    public func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? { nil }
}

/// The result of a commit.
public struct SaveOutcome: Sendable {
    /// The state that the save created. If the store saves in parallel, a state that includes the save
    /// and perhaps others that were committed since.
    public var generation: StoreGeneration
    /// The state that the save changed, or `nil` if the engine cannot tell. No one else committed between
    /// this state and ``generation``. Engines whose saves follow each other need not tell: see
    /// ``BegunSave/generation``.
    public var base: StoreGeneration?
    /// The rows that differ from those in the request because the store computed some of their
    /// values. They include rows of objects that were not in the request, with unchanged versions,
    /// if derived values of these objects depend on the save. Derived values are also right after saves
    /// that overlap.
    public var recomputed: RowBatch

    /// Creates an outcome. By default, the store computed no values, and ``base`` is `nil`.
    public init(generation: StoreGeneration, recomputed: RowBatch = RowBatch()) {
        self.generation = generation
        self.recomputed = recomputed
    }
}

/// A save that has been begun, together with the keys that were reserved for it.
public struct BegunSave {
    /// The save itself.
    public var transaction: any SaveTransaction
    /// For each root entity, a range with the requested number of keys.
    public var keys: [EntityNumber: Range<Int64>]
    /// The state that the save is based on, or `nil` if the engine cannot tell. No one else commits
    /// between this state and the state that the save creates, unless the store saves in parallel.
    public var generation: StoreGeneration?

    /// Creates the result of ``PersistentStore/beginSave(reserving:)``.
    public init(
        _ transaction: any SaveTransaction, keys: [EntityNumber: Range<Int64>] = [:],
        generation: StoreGeneration? = nil
    ) {
        self.transaction = transaction
        self.keys = keys
        self.generation = generation
    }
}

import CairnModel

/// One save of one store: begun, prepared, committed.
///
/// Holds the store's write lock until `commit` or `rollback` returns, or it is released. In a store
/// that saves in parallel (``StoreCapabilities/savesInParallel``) it holds what the engine needs to
/// detect conflicts. Begun, used and ended on one thread (an LMDB transaction ends on the thread that
/// began it).
///
/// The store can be read meanwhile, and its metadata too, as ``PersistentStore/metadata()`` says.
///
/// A call out of turn throws `.engineFailure` and changes nothing: a second `prepare`, a `commit`
/// of nothing that was prepared, and every call but `rollback` after the transaction has ended.
public protocol SaveTransaction: AnyObject {
    /// Takes keys for new objects: for each root entity, a range of as many keys as were asked for.
    ///
    /// Keys are taken before rows are packed, because a row contains its own key and those of its
    /// to-ones. They are counted by root entity, because objects of a hierarchy share one table or
    /// tree in most engines, and an ID names the root entity. They come as a range, because one call
    /// then serves a save of any size. The coordinator also reserves keys in a save that it commits
    /// with nothing prepared but them.
    ///
    /// A key is never given twice, even if the save that took it is rolled back: contexts, and object
    /// URIs outside of the program, may still have the ID of an object that was never saved, or was
    /// deleted, and must not find another object by it. Keys are greater than 0 and above every key in
    /// the store. An entity with a count of 0 is absent from the result.
    ///
    /// - Throws: `.closed`, `.keysExhausted`, `.unsupported` for an entity that the store does not
    ///   hold, `.corrupt`, `.engineFailure`.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]

    /// Checks the request and writes it, visible to no one.
    ///
    /// Called once at most. A second call throws `.engineFailure`; what the first call prepared can
    /// still be committed. After any other error the transaction can only be rolled back, and nothing
    /// of the request may take effect later.
    ///
    /// All row conflicts are reported before any uniqueness conflict is. Values of a uniqueness
    /// constraint are compared together: rows clash if all of its properties are equal. `nil` is
    /// equal to nothing, so a row clashes with no other row if one of the properties is `nil`. Text
    /// and bytes are compared byte by byte, so empty bytes are a value, and derived values as the
    /// store computed them. Constraints hold for the state after the save: objects can exchange their
    /// values, and a value is free if the same save deletes its object or gives it another value.
    ///
    /// A row may refer to bytes outside of itself (``ExternalReference``) only if this store wrote
    /// them: a reference to bytes that the store does not have is refused with `.unsupportedValue`,
    /// or reading the bytes throws `.externalDataMissing`.
    ///
    /// - Throws: `.rowConflicts` and `.uniquenessConflicts`, each with all of them and the rows
    ///   that are in the store now; `.unsupportedValue`; `.unsupported` for a row of an abstract
    ///   entity or of an entity that the store does not hold; `.cancelled` if the request's
    ///   ``SaveRequest/reporter`` ends the save; `.closed`, `.corrupt`, `.fileFailure`;
    ///   `.engineFailure`, also for a request that is not well formed.
    func prepare(_ request: SaveRequest) throws(StoreError)

    /// Makes what was prepared durable and visible, all at once.
    ///
    /// - Throws: `.commitOutcomeUnknown` if the engine does not know whether the save took place: ask
    ///   ``PersistentStore/outcome(of:)``. After any other error nothing was saved: `.closed`,
    ///   `.fileFailure`, `.engineFailure`; `.busy` if readers of other processes kept the engine from
    ///   writing for as long as `timeout` says; `.rowConflicts` and `.uniquenessConflicts` of a store
    ///   that saves in parallel; `.fileRemoved` and `.fileReplaced` of a store that is a file.
    func commit() throws(StoreError) -> SaveOutcome

    /// Discards what was prepared. Has no effect after `commit` or a previous `rollback`. The
    /// generation may grow, as when the keys that were taken are written down, and need not.
    func rollback()
}

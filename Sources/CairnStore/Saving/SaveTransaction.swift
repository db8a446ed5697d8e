import CairnModel

/// One save of one store: begun, prepared, committed.
///
/// Holds the store's write lock until `commit` or `rollback` returns, or it is released. In a store
/// that saves in parallel (``StoreCapabilities/savesInParallel``) it holds what the engine needs to
/// detect conflicts. Begun, used and ended on one thread (an LMDB transaction ends on the thread that
/// began it).
///
/// A call out of turn throws `.engineFailure` and changes nothing: a second `prepare`, a `commit`
/// of nothing that was prepared, and every call but `rollback` after the transaction has ended.
public protocol SaveTransaction: AnyObject {
    /// Takes keys for new objects: for each root entity, a range of as many keys as were asked for.
    ///
    /// A key is never given twice, even if the save that took it is rolled back. Keys are greater
    /// than 0 and above every key in the store. An entity with a count of 0 is absent from the
    /// result.
    ///
    /// - Throws: `.closed`, `.keysExhausted`, `.unsupported` for an entity that the store does not
    ///   hold, `.corrupt`, `.engineFailure`.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]

    /// Checks the request and writes it, visible to no one.
    ///
    /// Called once at most. A second call throws `.engineFailure`; what the first call prepared can
    /// still be committed. After any other error the transaction can only be rolled back.
    ///
    /// All row conflicts are reported before any uniqueness conflict is. Values of a uniqueness
    /// constraint are compared together: rows clash if all of its properties are equal. `nil` is
    /// equal to nothing, so a row clashes with no other row if one of the properties is `nil`. Text
    /// and bytes are compared byte by byte, and derived values as the store computed them.
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
    /// - Throws: `.commitOutcomeUnknown`: ask the store. After any other nothing was saved:
    ///   `.closed`, `.busy`, `.fileFailure`, `.engineFailure`; `.rowConflicts` and
    ///   `.uniquenessConflicts` of a store that saves in parallel.
    func commit() throws(StoreError) -> SaveOutcome

    /// Discards what was prepared. Has no effect after `commit` or a previous `rollback`.
    func rollback()
}

/// What a commit did.
public struct SaveOutcome: Sendable {
    /// The state that the save made.
    public var generation: StoreGeneration
    /// Rows that differ from the request's, because the store computed some of their values.
    public var recomputed: RowBatch

    /// Creates an outcome. By default the store computed no values itself.
    public init(generation: StoreGeneration, recomputed: RowBatch = RowBatch()) {
        self.generation = generation
        self.recomputed = recomputed
    }
}

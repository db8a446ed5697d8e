import CairnModel

/// One save of one store: begun, prepared, committed.
///
/// Holds the store's write lock until `commit` or `rollback` returns, or it is released. Begun,
/// used and ended on one thread (an LMDB transaction ends on the thread that began it).
public protocol SaveTransaction: AnyObject {
    /// Takes keys for new objects, so many for each root entity.
    ///
    /// A key is never given twice, even where the save that took it is rolled back; from 1, and
    /// above every key in the store. An entity with a count of 0 is absent.
    ///
    /// - Throws: `.closed`, `.keysExhausted`, `.unsupported` for an entity that the store does not
    ///   hold, `.corrupt`, `.engineFailure`.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]

    /// Checks the request and writes it, visible to no one. Called once at most.
    ///
    /// After an error the transaction can only be rolled back.
    ///
    /// - Throws: `.rowConflicts` and `.uniquenessConflicts`, each with all of them and the rows
    ///   that are in the store now; `.unsupportedValue`; `.unsupported` for an entity that the
    ///   store does not hold; `.closed`, `.corrupt`, `.fileFailure`, `.engineFailure`.
    func prepare(_ request: SaveRequest) throws(StoreError)

    /// Makes what was prepared durable and visible, all at once.
    ///
    /// - Throws: `.commitOutcomeUnknown`: ask the store. After any other nothing was saved:
    ///   `.closed`, `.busy`, `.fileFailure`, `.engineFailure`.
    func commit() throws(StoreError) -> SaveOutcome

    /// Forgets what was prepared. After `commit`, or a second time, does nothing.
    func rollback()
}

/// What a commit did.
public struct SaveOutcome: Sendable {
    /// The state that the save made.
    public var generation: StoreGeneration
    /// Rows that differ from the request's, because the store computed some of their values.
    public var recomputed: RowBatch

    /// An outcome in which the store computed nothing itself, unless rows are given.
    public init(generation: StoreGeneration, recomputed: RowBatch = RowBatch()) {
        self.generation = generation
        self.recomputed = recomputed
    }
}

/// What a commit did.
public struct SaveOutcome: Sendable {
    /// The state that the save made.
    public var generation: StoreGeneration
    /// Rows that differ from the request's, because the store computed some of their values. Rows of
    /// other objects are among them, with the version that they had, if their derived values follow
    /// from the save.
    public var recomputed: RowBatch

    /// Creates an outcome. By default the store computed no values itself.
    public init(generation: StoreGeneration, recomputed: RowBatch = RowBatch()) {
        self.generation = generation
        self.recomputed = recomputed
    }
}

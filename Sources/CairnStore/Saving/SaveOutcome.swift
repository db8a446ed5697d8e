import CairnRows

/// The result of a commit.
public struct SaveOutcome: Sendable {
    /// The state that the save created.
    public var generation: StoreGeneration
    /// The rows that differ from those in the request because the store computed some of their
    /// values. They include rows of objects that were not in the request, with unchanged versions,
    /// if derived values of these objects depend on the save.
    public var recomputed: RowBatch

    /// Creates an outcome. By default, the store computed no values.
    public init(generation: StoreGeneration, recomputed: RowBatch = RowBatch()) {
        self.generation = generation
        self.recomputed = recomputed
    }
}

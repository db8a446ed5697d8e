import CairnModel

/// A save that was begun, with the keys that were reserved for it.
public struct BegunSave {
    /// The save itself.
    public var transaction: any SaveTransaction
    /// For each root entity, a range of as many keys as were asked for.
    public var keys: [EntityNumber: Range<Int64>]
    /// The state that the save is made on: nobody else commits between this state and the save's,
    /// unless the store saves in parallel. `nil` if the engine cannot tell.
    public var generation: StoreGeneration?

    /// Creates the answer of an engine.
    public init(
        _ transaction: any SaveTransaction, keys: [EntityNumber: Range<Int64>] = [:],
        generation: StoreGeneration? = nil
    ) {
        self.transaction = transaction
        self.keys = keys
        self.generation = generation
    }
}

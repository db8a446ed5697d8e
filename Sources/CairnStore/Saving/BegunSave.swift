import CairnModel

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

import Cairn
import Foundation

extension Setting {
    /// Returns the goal if this is the engine for which it is set, or `nil` for other engines.
    package func goal(_ goal: Goal, on engine: StoreType = .sqlite) -> Goal? {
        self.engine == engine ? goal : nil
    }

    /// Returns the goal for the ratio to C on this engine, or `nil` if no goal is set for the engine.
    package func ratioGoal(
        _ sqlite: Double, lmdb: Double? = nil, inMemory: Double? = nil
    ) -> Goal? {
        let ratio: Double? =
            switch engine {
            case .sqlite: sqlite
            case .lmdb: lmdb
            case .inMemory: inMemory
            default: nil
            }
        return ratio.map(Goal.ratio)
    }

    /// Returns a contender for Cairn. Each run has a new context on the store with all items.
    package func ours(
        _ name: String = "Cairn", goal: Goal? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Sample
    ) throws -> Contender {
        let stack = try items()
        return Contender(name, .ours, goal: goal) { try stack.inContext(body) }
    }
}

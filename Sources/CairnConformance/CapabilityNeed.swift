import CairnStore

/// A capability of engines that rules depend on.
package enum CapabilityNeed: String, Sendable, Hashable {
    /// The capability of the same meaning in `StoreCapabilities`: `isDurable`, `readsDuringSave`, `isShared`,
    /// `namedSaves` (other than `.forgotten`), and `savesInParallel`.
    case durability, readsDuringSave, sharing, namedSaves, parallelSaves
    /// Stores are files, so the engine is a `FileStore`.
    case files

    /// Returns whether the engine has the capability.
    package func isMet(by engine: any PersistentStore.Type) -> Bool {
        switch self {
        case .durability: engine.capabilities.isDurable
        case .readsDuringSave: engine.capabilities.readsDuringSave
        case .sharing: engine.capabilities.isShared
        case .namedSaves: engine.capabilities.namedSaves != .forgotten
        case .parallelSaves: engine.capabilities.savesInParallel
        case .files: engine is any FileStore.Type
        }
    }
}

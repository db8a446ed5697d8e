import CairnStore

/// A capability of engines that rules depend on.
public enum CapabilityNeed: String, Sendable, Hashable {
    case durability, readsDuringSave, sharing, namedSaves, parallelSaves
    /// Objects are identified by text or UUIDs: the engine is a `ReferencingStore`.
    case references
    /// Stores are files: the engine is a `FileStore`.
    case files

    /// Whether the engine has it.
    public func isMet(by engine: any PersistentStore.Type) -> Bool {
        switch self {
        case .durability: engine.capabilities.isDurable
        case .readsDuringSave: engine.capabilities.readsDuringSave
        case .sharing: engine.capabilities.isShared
        case .namedSaves: engine.capabilities.namedSaves != .forgotten
        case .parallelSaves: engine.capabilities.savesInParallel
        case .references: engine is any ReferencingStore.Type
        case .files: engine is any FileStore.Type
        }
    }
}

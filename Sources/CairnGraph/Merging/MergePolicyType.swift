import CairnModel

/// What a ``StandardMergePolicy`` lets count: Core Data's five.
public enum MergePolicyType: Sendable, Hashable {
    /// The save fails and lists every conflict. The policy of a new context.
    case error
    /// Merges property by property. If both sides changed a property, the stored value counts.
    case mergeByPropertyStoreTrump
    /// Merges property by property. If both sides changed a property, the context's value counts.
    case mergeByPropertyObjectTrump
    /// The object as the context has it replaces the stored one.
    case overwrite
    /// The context's changes to the object are forgotten.
    case rollback
}

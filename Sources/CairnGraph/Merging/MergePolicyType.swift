import CairnModel

/// What a ``StandardMergePolicy`` lets count: Core Data's five.
public enum MergePolicyType: Sendable, Hashable {
    /// The save fails and lists every conflict. The policy of a new context.
    case error
    /// Property by property; where both sides changed one, the stored value counts.
    case mergeByPropertyStoreTrump
    /// Property by property; where both sides changed one, the context's value counts.
    case mergeByPropertyObjectTrump
    /// The object as the context has it replaces the stored one.
    case overwrite
    /// The context's changes to the object are forgotten.
    case rollback
}

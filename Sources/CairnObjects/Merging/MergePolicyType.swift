import CairnModel

/// The ways in which a ``StandardMergePolicy`` resolves conflicts. They are the same five as in Core
/// Data.
public enum MergePolicyType: Sendable, Hashable {
    /// The save fails with an error that contains every conflict. This is the policy of a new context.
    case error
    /// Merges each property separately. If both sides changed a property, the stored value is used.
    case mergeByPropertyStoreTrump
    /// Merges each property separately. If both sides changed a property, the context's value is used.
    case mergeByPropertyObjectTrump
    /// The context's version of the object replaces the stored version.
    case overwrite
    /// The context's changes to the object are discarded.
    case rollback
}

/// The effect that deleting an object has on the destinations of a relationship.
///
/// Raw values are those of Core Data's `NSDeleteRule`.
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
    /// The destination is not changed. Its inverse may then refer to an object that no longer exists.
    case noAction = 0
    /// The deleted object is removed from the destination's inverse.
    case nullify = 1
    /// The destination is also deleted.
    case cascade = 2
    /// The object cannot be deleted as long as the relationship has a destination.
    case deny = 3
}

/// What happens to the destination of a relationship when its owner is deleted.
///
/// Raw values are Core Data's (`NSDeleteRule`).
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
    /// The destination is left alone; its inverse may then name an object that is gone.
    case noAction = 0
    /// The destination's inverse forgets the deleted object.
    case nullify = 1
    /// The destination is deleted too.
    case cascade = 2
    /// The deletion is refused while there is a destination.
    case deny = 3
}

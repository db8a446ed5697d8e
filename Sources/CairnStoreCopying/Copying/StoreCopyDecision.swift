/// The result of a progress handler: whether the copy should continue.
public enum StoreCopyDecision: Sendable, Hashable {
    /// The copy continues.
    case proceed
    /// The copy ends with `.copyCancelled`, and nothing of it is left.
    case cancel
}

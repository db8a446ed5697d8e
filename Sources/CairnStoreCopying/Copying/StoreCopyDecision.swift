/// Whether a copy goes on: what who is told of its progress answers.
public enum StoreCopyDecision: Sendable, Hashable {
    /// The copy goes on.
    case goOn
    /// The copy ends with `.copyCancelled`, and leaves nothing.
    case cancel
}

/// Identifies the state of its stores that a context reads.
///
/// A token other than ``current`` keeps its state readable for as long as the token exists. In a store
/// that others write to, this takes disk space, so release the token when you no longer need it.
public struct QueryGenerationToken: Sendable, Hashable {
    /// The newest state at the moment when a context is pinned.
    public static let current = QueryGenerationToken(state: nil)

    /// The state. `nil` means the newest state.
    package let state: PinnedState?

    package init(state: PinnedState?) { self.state = state }

    /// Whether both tokens identify the same state.
    public static func == (left: Self, right: Self) -> Bool { left.state === right.state }

    /// Hashes the identity of the state.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(state.map(ObjectIdentifier.init))
    }
}

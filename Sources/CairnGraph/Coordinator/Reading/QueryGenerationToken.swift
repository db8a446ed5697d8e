import CairnStore

/// Which state of its stores a context reads.
///
/// A token other than ``current`` keeps its state readable for as long as somebody holds it: in a
/// store that others write to, that costs space on disk. Let go of it when it has served.
public struct QueryGenerationToken: Sendable, Hashable {
    /// The state that is the newest when a context is pinned.
    public static let current = QueryGenerationToken(state: nil)

    /// nil: the newest.
    let state: PinnedState?

    /// Whether both mean the same state.
    public static func == (left: Self, right: Self) -> Bool { left.state === right.state }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(state.map(ObjectIdentifier.init))
    }
}

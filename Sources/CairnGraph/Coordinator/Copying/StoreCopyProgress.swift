/// How far a copy of a store has come.
public struct StoreCopyProgress: Sendable, Hashable {
    /// Objects copied so far.
    public var objectCount = 0
    /// Objects that are in the source; never less than `objectCount`.
    public var totalObjectCount: Int
    /// Pairs and places in an order copied so far; they follow the objects. How many there will be is
    /// not known before.
    public var pairCount = 0

    /// Nothing of so many objects yet.
    public init(totalObjectCount: Int) { self.totalObjectCount = totalObjectCount }
}

/// Whether a copy goes on: what who is told of its progress answers.
public enum StoreCopyDecision: Sendable, Hashable {
    /// The copy goes on.
    case goOn
    /// The copy ends with `.copyCancelled`, and leaves nothing.
    case cancel
}

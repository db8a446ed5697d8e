/// What a store says of a named save.
public enum CommitOutcome: Sendable, Hashable {
    /// The save took place.
    case saved
    /// The save did not take place, and never will.
    case notSaved
    /// The store cannot tell: it remembers only later saves, or no names at all.
    case forgotten
}

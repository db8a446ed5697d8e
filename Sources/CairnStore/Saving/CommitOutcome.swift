/// A store's answer to the question whether a named save took place.
public enum CommitOutcome: Sendable, Hashable {
    /// The save took place.
    case saved
    /// The save did not take place, and never will.
    case notSaved
    /// The store cannot tell, because it remembers only later saves, or no names at all.
    case forgotten
}

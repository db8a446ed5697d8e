import CairnModel

/// What of a plan an engine did, exactly.
public struct CompletedStages: Sendable {
    /// What of the predicate was not evaluated. `nil` if all of it was.
    public var remainingPredicate: BoundPredicate?
    /// Whether the matches come in the plan's order. A plan without sorts is always sorted.
    public var isSorted: Bool
    /// Whether offset and limit were applied. A plan without them is always paged.
    public var isPaged: Bool

    /// Says by default that all was done.
    public init(
        remainingPredicate: BoundPredicate? = nil, isSorted: Bool = true, isPaged: Bool = true
    ) {
        self.remainingPredicate = remainingPredicate
        self.isSorted = isSorted
        self.isPaged = isPaged
    }

    /// Whether nothing is left to do.
    public var isComplete: Bool { remainingPredicate == nil && isSorted && isPaged }
}

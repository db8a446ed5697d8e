import CairnModel

/// The stages of a plan that an engine completed exactly.
public struct CompletedStages: Sendable {
    /// The part of the predicate that was not evaluated, or `nil` if the whole predicate was
    /// evaluated.
    public var remainingPredicate: BoundPredicate?
    /// Whether the matches come in the plan's order. Always `true` for a plan without sorts.
    public var isSorted: Bool
    /// Whether offset and limit were applied. Always `true` for a plan without them.
    public var isPaged: Bool

    /// Creates the stages. By default, all stages are complete.
    public init(
        remainingPredicate: BoundPredicate? = nil, isSorted: Bool = true, isPaged: Bool = true
    ) {
        self.remainingPredicate = remainingPredicate
        self.isSorted = isSorted
        self.isPaged = isPaged
    }

    /// Whether all stages are complete.
    public var isComplete: Bool { remainingPredicate == nil && isSorted && isPaged }
}

import CairnModel

/// The semi-joins for the comparisons of a predicate.
package struct SemiJoins: Sendable {
    private var joins: [BoundComparison: SemiJoin] = [:]

    /// Creates an empty collection.
    package init() {}

    /// The number of semi-joins.
    package var count: Int { joins.count }

    /// The semi-join for a comparison, or `nil` if relationships have to be followed object by
    /// object.
    package subscript(comparison: BoundComparison) -> SemiJoin? {
        get { joins.isEmpty ? nil : joins[comparison] }
        set { joins[comparison] = newValue }
    }
}

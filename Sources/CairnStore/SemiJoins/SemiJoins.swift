import CairnModel

/// The semi-joins that were made for the comparisons of a predicate.
package struct SemiJoins: Sendable {
    private var joins: [BoundComparison: SemiJoin] = [:]

    /// None.
    package init() {}

    /// How many there are.
    package var count: Int { joins.count }

    /// The semi-join that answers a comparison; `nil` if objects have to be followed one by one.
    package subscript(comparison: BoundComparison) -> SemiJoin? {
        get { joins.isEmpty ? nil : joins[comparison] }
        set { joins[comparison] = newValue }
    }
}

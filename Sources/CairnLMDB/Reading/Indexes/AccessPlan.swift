import CairnModel
import CairnStore

/// How a fetch finds its candidates, and what is left to test on each.
struct AccessPlan {
    /// Where candidates come from.
    enum Path {
        /// All rows of the root entity, by key.
        case scan
        /// These rows, by key.
        case keys([Int64])
        /// The rows whose values are in these ranges of an index, by key.
        case index(LMDBTable, [KeyRange])
        /// The rows whose values are in this range of an index, in the order of the values.
        case orderedIndex(LMDBTable, KeyRange, slot: Attribute, isAscending: Bool)
        /// The rows whose to-one leads to one of these, by key.
        case links(LMDBTable, [Int64])
    }

    var path: Path
    /// Tested here, on each candidate's row. `nil` if nothing is left.
    var filter: BoundPredicate?
    /// The answers to the comparisons of the filter that go through relationships.
    var joins: SemiJoins
    var completed: CompletedStages
}

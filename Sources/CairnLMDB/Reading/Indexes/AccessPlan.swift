import CairnEngineKit
import CairnModel
import CairnStore

/// How a fetch finds its candidates, and the predicate that is left to test on each of them.
struct AccessPlan {
    /// The source of the candidates.
    enum Path {
        /// All rows of the root entity, in key order.
        case scan
        /// The rows with these keys, in key order.
        case keys([Int64])
        /// The rows whose values are in these ranges of an index, in key order.
        case index(LMDBTable, [KeyRange])
        /// The rows whose values are in this range of an index, in the order of the values.
        case orderedIndex(LMDBTable, KeyRange, slot: Attribute, isAscending: Bool)
        /// The rows whose to-one relationship leads to one of these keys, in key order.
        case links(LMDBTable, [Int64])
    }

    var path: Path
    /// The predicate that is tested on each candidate's row. `nil` if nothing is left to test.
    var filter: BoundPredicate?
    /// The results for those comparisons of the filter that follow relationships.
    var joins: SemiJoins
    var completed: CompletedStages
}

import CairnModel
import CairnStore

/// A fetch of dictionaries with every name resolved.
///
/// The stages are those of its fetch, then group and having, the entries, distinct, and at last
/// offset and limit, unless the fetch has these. The coordinator does everything from grouping on, so
/// that it is the same on every engine.
package struct DictionaryPlan: Sendable {
    /// Which rows are read, in which order. Its offset and limit are those of the request if each row
    /// makes one dictionary, and otherwise empty.
    package var fetch: FetchPlan
    /// What is read of each row: the entries, or where there are groups their keys and what is
    /// summarised.
    var inputs: [BoundExpression]
    /// nil: a dictionary for each row.
    var grouping: Grouping?
    var entries: [Entry]
    /// Whether equal dictionaries come once, at the place of the first.
    var isDistinct: Bool
    var offset: Int
    var limit: Int?

    /// An entry of the dictionaries.
    struct Entry: Sendable {
        let name: String
        let resultType: AttributeType?
    }

    /// How rows become groups.
    ///
    /// The values of a group are numbered: its keys, the summaries, then the entries. They are
    /// attributes of an entity of their own, so that predicates and sorts can be bound to them.
    struct Grouping: Sendable {
        /// The first inputs are the keys; without one all rows are one group, even of no row.
        let keyCount: Int
        /// Of the inputs behind the keys.
        let summaries: [BoundPath.CollectionOperator]
        /// One for each entry, of the values before it.
        let entries: [BoundExpression]
        let having: BoundPredicate?
        let sorts: [BoundSort]
    }
}

import CairnModel
import CairnStore

/// A fetch of dictionaries in which every name is resolved.
///
/// The stages are those of ``fetch``, then grouping and `having`, the entries, distinct, and finally
/// offset and limit, unless ``fetch`` applies these. The coordinator does everything from grouping on,
/// so the results are the same for every engine.
package struct DictionaryPlan: Sendable {
    /// Which rows are read, and in which order. It has the request's offset and limit if each row
    /// becomes one dictionary. Otherwise, it has none.
    package var fetch: FetchPlan
    /// What is read from each row: the entries, or the group keys and the values to summarise if there
    /// are groups.
    var inputs: [BoundExpression]
    /// How rows are grouped. If it is `nil`, each row becomes one dictionary.
    var grouping: Grouping?
    var entries: [Entry]
    /// Whether equal dictionaries are returned only once, at the position of the first.
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
    /// The values of a group are numbered: first its keys, then the summaries, then the entries. They
    /// are attributes of an entity made for this purpose, so that predicates and sorts can be bound to
    /// them.
    struct Grouping: Sendable {
        /// How many of the first inputs are keys. If there are no keys, all rows form one group, which
        /// exists even if there are no rows.
        let keyCount: Int
        /// The summaries of the inputs that follow the keys.
        let summaries: [BoundPath.CollectionOperator]
        /// One expression for each entry, computed from the values that precede it.
        let entries: [BoundExpression]
        let having: BoundPredicate?
        let sorts: [BoundSort]
    }
}

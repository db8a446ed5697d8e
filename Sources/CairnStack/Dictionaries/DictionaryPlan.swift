import CairnModel
import CairnStore

/// A fetch of dictionaries with all names resolved.
///
/// Its stages are those of ``fetch``, followed by grouping and `having`, the entries, removal of
/// duplicates, and finally offset and limit, unless ``fetch`` already applies these. The coordinator
/// performs all stages from grouping on, so all engines give the same results.
package struct DictionaryPlan: Sendable {
    /// The rows to read, and their order. It has the request's offset and limit if each row becomes one
    /// dictionary, and no offset and limit otherwise.
    package var fetch: FetchPlan
    /// The expressions that are evaluated for each row: the entries, or, if there are groups, the group
    /// keys followed by the values to summarise.
    var inputs: [BoundExpression]
    /// How rows are grouped. If it is `nil`, each row becomes one dictionary.
    var grouping: Grouping?
    var entries: [Entry]
    /// Whether equal dictionaries are returned only once, at the position of the first one.
    var isDistinct: Bool
    var offset: Int
    var limit: Int?

    /// An entry of the dictionaries.
    struct Entry: Sendable {
        let name: String
        let resultType: AttributeType?
    }

    /// The grouping of rows.
    ///
    /// The values of a group are numbered: first its keys, then the summaries, then the entries. They
    /// are the attributes of an entity that is created for this purpose, so that predicates and sorts
    /// can be bound to them.
    struct Grouping: Sendable {
        /// The number of keys among the inputs; the keys come first. If it is 0, all rows form one
        /// group, which exists even if there are no rows.
        let keyCount: Int
        /// The summaries of the inputs that follow the keys.
        let summaries: [BoundPath.CollectionOperator]
        /// One expression for each entry, computed from the values that precede it.
        let entries: [BoundExpression]
        let having: BoundPredicate?
        let sorts: [BoundSort]
    }
}

import CairnModel
import CairnStore

/// What databases do differently when they evaluate predicates. Functions that can throw do so if no SQL always has the
/// same result as the evaluator.
package protocol SQLDialect: Sendable {
    /// The number that the IDs of the store's objects contain.
    var store: StoreNumber { get }
    /// The column with the key of a row.
    static var key: SQLName { get }
    /// The maximum number of tables in a `FROM` clause.
    static var mostTables: Int { get }

    /// Returns whether the database accepts a condition among several, or a term of `ORDER BY`.
    static func fits(_ text: SQLText, among count: Int) -> Bool

    // MARK: Tables

    /// Returns the table of an entity, or `nil` if the store has none.
    func table(of entity: Entity) -> SQLText?

    /// Returns the column with the key of a to-one relationship's destination, or `nil` if the store has none.
    func column(of relationship: Relationship) -> SQLName?

    /// Returns the table with the pairs of a many-to-many relationship, and its columns. `nil` for any other relationship.
    func pairs(
        of relationship: Relationship
    ) -> (table: SQLText, owner: SQLName, member: SQLName)?

    /// Returns the value of an attribute in the row with an alias.
    func value(of attribute: Attribute, at alias: SQLName) throws(Untranslatable) -> SQLOperand

    /// Returns the value of an element of a composite attribute.
    func value(
        of attribute: Attribute, element path: [String], _ type: AttributeType, at alias: SQLName
    ) throws(Untranslatable) -> SQLOperand

    // MARK: Conditions

    static func constant(_ value: Bool) -> SQLText

    /// Returns a condition that is false where the given one is NULL.
    static func known(_ condition: SQLText) -> SQLText

    /// Returns the parameter that makes a constant comparable with values of a kind.
    static func parameter(
        _ value: Value, for kind: SQLOperand.Kind
    ) throws(Untranslatable) -> SQLText

    /// Returns whether the database compares values of both kinds according to their meaning.
    static func compares(_ kind: SQLOperand.Kind, with other: SQLOperand.Kind) -> Bool

    /// Returns a condition that a value equals a parameter.
    static func equality(
        _ value: SQLText, _ kind: SQLOperand.Kind, parameter: SQLText, _ truth: SQLTruth
    ) -> SQLText

    /// Returns the items of a list that stand for a parameter.
    static func items(for parameter: SQLText, _ kind: SQLOperand.Kind) -> SQLText

    /// Returns a condition, never NULL, that two values are equal, or both NULL.
    static func equality(_ left: SQLText, _ right: SQLText, _ kind: SQLOperand.Kind) -> SQLText

    /// Returns a condition that orders two values. The right one may be a constant that is no NaN.
    static func order(
        _ left: SQLText, _ comparison: PredicateComparison.Operator, _ right: SQLText,
        _ kind: SQLOperand.Kind, isConstant: Bool
    ) throws(Untranslatable) -> SQLText

    /// Returns a text that is folded as options require, which are neither empty nor contain `normalized`.
    static func folded(
        _ text: SQLText, _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText

    /// Returns a condition for `LIKE`, `MATCHES`, `BEGINSWITH`, `ENDSWITH` or `CONTAINS`.
    static func textCondition(
        _ comparison: PredicateComparison.Operator, _ text: SQLText, _ part: SQLOperand,
        _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText

    // MARK: Values

    /// Returns `min`, `max` or `sum` of the values in a subquery, and the kind of the result.
    static func summary(
        _ collectionOperator: BoundPath.CollectionOperator, _ value: SQLText,
        _ kind: SQLOperand.Kind, _ type: AttributeType?
    ) throws(Untranslatable) -> (SQLText, SQLOperand.Kind)

    static func call(
        _ function: PredicateFunction, _ arguments: [SQLOperand]
    ) throws(Untranslatable) -> SQLOperand

    /// Returns the terms of `ORDER BY` that sort by a value, with NULL first.
    static func sortTerms(
        _ value: SQLText, _ kind: SQLOperand.Kind, _ order: BoundSort.TextOrder, isAscending: Bool
    ) throws(Untranslatable) -> [SQLText]
}

/// Which truth values a condition may yield.
package enum SQLTruth {
    /// NULL is allowed and counts as false.
    case nullIsFalse
    /// NULL is not allowed.
    case twoValued
}

/// An expression that SQL cannot evaluate as the evaluator does.
package struct Untranslatable: Error {
    /// Why, for people.
    package var reason: String

    package init(
        _ reason: String = "SQL has no expression that always has the same result"
    ) { self.reason = reason }

    static let tooDeep = Untranslatable("the database does not accept such a depth")
    static func tooMany(_ things: String, limit: Int) -> Untranslatable {
        Untranslatable("a statement has at most \(limit) \(things)")
    }
}

import CairnModel

/// A computed entry of the dictionaries that a fetch returns.
///
/// `sum`, `count`, `min`, `max` and `average` of a single value summarise the objects of a group,
/// or all matches where nothing is grouped by; of a to-many they summarise each object's members.
public struct ExpressionDescription: Sendable, Hashable {
    /// The entry's name in the dictionary, in `havingPredicate` and in sort descriptors.
    public var name: String
    /// Computed for each match or group. `SELF` is the object's ID.
    public var expression: FetchExpression
    /// What the value is converted to; one that does not convert is nil. nil: as it comes.
    public var resultType: AttributeType?

    /// Describes an entry.
    public init(_ name: String, _ expression: FetchExpression, resultType: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.resultType = resultType
    }

    /// Describes an entry by text: `sum(seconds)`, `count(SELF)`, `price * 2`.
    ///
    /// - Throws: `.predicate` where the text is no expression.
    public init(
        _ name: String, format: String, resultType: AttributeType? = nil
    ) throws(GraphError) {
        do throws(FetchPredicateError) {
            self.init(name, try FetchExpression(format: format), resultType: resultType)
        } catch {
            throw .predicate(error)
        }
    }
}

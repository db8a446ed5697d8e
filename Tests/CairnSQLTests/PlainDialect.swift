import CairnModel
import CairnSQL
import CairnStore

/// A database whose tables and columns have the names of entities and properties, and that has few abilities.
struct PlainDialect: SQLDialect {
    let store = StoreNumber(rawValue: 7)
    static let key = SQLName(quoting: "key")
    static let mostTables = 3

    static func fits(_ text: SQLText, among count: Int) -> Bool { text.text.utf8.count < 300 }

    func table(of entity: Entity) -> SQLText? { "\(SQLName(quoting: entity.rootEntity.name))" }

    func column(of relationship: Relationship) -> SQLName? {
        relationship.isToMany ? nil : SQLName(quoting: relationship.name)
    }

    func pairs(
        of relationship: Relationship
    ) -> (table: SQLText, owner: SQLName, member: SQLName)? {
        guard relationship.isManyToMany else { return nil }
        return ("pairs", SQLName(quoting: "owner"), SQLName(quoting: "member"))
    }

    func value(of attribute: Attribute, at alias: SQLName) throws(Untranslatable) -> SQLOperand {
        guard let kind = SQLOperand.Kind(attribute.type) else { throw Untranslatable() }
        return .expression("\(alias).\(SQLName(quoting: attribute.name))", kind)
    }

    func value(
        of attribute: Attribute, element path: [String], _ type: AttributeType, at alias: SQLName
    ) throws(Untranslatable) -> SQLOperand { throw Untranslatable() }

    static func constant(_ value: Bool) -> SQLText { value ? "yes" : "no" }
    static func known(_ condition: SQLText) -> SQLText { "known(\(condition))" }
    static func compares(_ kind: SQLOperand.Kind, with other: SQLOperand.Kind) -> Bool {
        kind == other
    }

    static func parameter(
        _ value: Value, for kind: SQLOperand.Kind
    ) throws(Untranslatable) -> SQLText {
        switch (kind, value) {
        case (.integer, .integer(let value)): "\(bind: .integer(value))"
        case (.real, .double(let value)): "\(bind: .real(value))"
        case (.text, .string(let text)): "\(bind: .text(text))"
        default: throw Untranslatable()
        }
    }

    static func equality(
        _ value: SQLText, _ kind: SQLOperand.Kind, parameter: SQLText, _ truth: SQLTruth
    ) -> SQLText {
        truth == .twoValued ? "(\(value) IS \(parameter))" : "(\(value) = \(parameter))"
    }

    static func items(for parameter: SQLText, _ kind: SQLOperand.Kind) -> SQLText { parameter }

    static func equality(_ left: SQLText, _ right: SQLText, _ kind: SQLOperand.Kind) -> SQLText {
        "(\(left) IS \(right))"
    }

    static func order(
        _ left: SQLText, _ comparison: PredicateComparison.Operator, _ right: SQLText,
        _ kind: SQLOperand.Kind, isConstant: Bool
    ) -> SQLText { "\(left)\(comparison.sql)\(right)" }

    static func folded(
        _ text: SQLText, _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText { throw Untranslatable() }

    static func textCondition(
        _ comparison: PredicateComparison.Operator, _ text: SQLText, _ part: SQLOperand,
        _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText { throw Untranslatable("it knows no parts of texts") }

    static func summary(
        _ collectionOperator: BoundPath.CollectionOperator, _ value: SQLText,
        _ kind: SQLOperand.Kind, _ type: AttributeType?
    ) throws(Untranslatable) -> (SQLText, SQLOperand.Kind) { throw Untranslatable() }

    static func call(
        _ function: PredicateFunction, _ arguments: [SQLOperand]
    ) throws(Untranslatable) -> SQLOperand { throw Untranslatable() }

    static func sortTerms(
        _ value: SQLText, _ kind: SQLOperand.Kind, _ order: BoundSort.TextOrder, isAscending: Bool
    ) throws(Untranslatable) -> [SQLText] {
        guard order == .scalars else { throw Untranslatable() }
        return [isAscending ? value : "\(value) DESC"]
    }
}

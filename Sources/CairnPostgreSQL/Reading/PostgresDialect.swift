import CairnModel
import CairnRows
import CairnSQL
import CairnStore
import Foundation

/// Predicates in the SQL of PostgreSQL. What has no translation, the evaluator does: options of text, patterns,
/// arithmetic (which fails on the server if a result is too large), and functions.
struct PostgresDialect: SQLDialect {
    let schema: StoreSchema

    var store: StoreNumber { schema.store }
    static let key = SQLName(quoting: "_key")
    /// Above this number, planning a join takes the server longer than reading the rows.
    static let mostTables = 12

    static func fits(_ text: SQLText, among count: Int) -> Bool { true }

    // MARK: Tables

    func table(of entity: Entity) -> SQLText? { schema.table(of: entity)?.sql }

    func column(of relationship: Relationship) -> SQLName? {
        schema.table(of: relationship.entity)?
            .column(relationship.rowSlot, of: relationship.entity)?.column
    }

    func pairs(
        of relationship: Relationship
    ) -> (table: SQLText, owner: SQLName, member: SQLName)? {
        guard let (pairs, isForward) = schema.pairs(of: relationship) else { return nil }
        let (owner, member) = (SQLName(quoting: "owner"), SQLName(quoting: "member"))
        return isForward ? (pairs.sql, owner, member) : (pairs.sql, member, owner)
    }

    func value(of attribute: Attribute, at alias: SQLName) throws(Untranslatable) -> SQLOperand {
        guard
            let column = schema.table(of: attribute.entity)?
                .column(attribute.rowSlot, of: attribute.entity)
        else { throw Untranslatable() }
        let value: SQLText = "\(alias).\(column.column)"
        return switch column.kind {
        case .boolean: .expression("\(value)::int4", .integer)
        case .float: .expression("\(value)::float8", .real)
        case .toOne, .externalBinary, .composite: .expression(value, .opaque)
        default: .expression(value, SQLOperand.Kind(attribute.type) ?? .opaque)
        }
    }

    func value(
        of attribute: Attribute, element path: [String], _ type: AttributeType, at alias: SQLName
    ) throws(Untranslatable) -> SQLOperand {
        throw Untranslatable()
    }

    // MARK: Conditions

    static func constant(_ value: Bool) -> SQLText { value ? "true" : "false" }

    static func known(_ condition: SQLText) -> SQLText { "((\(condition)) IS TRUE)" }

    /// The server rounds integers and decimals that it compares with doubles.
    static func compares(_ kind: SQLOperand.Kind, with other: SQLOperand.Kind) -> Bool {
        kind == other && kind != .opaque
    }

    static func equality(
        _ value: SQLText, _ kind: SQLOperand.Kind, parameter: SQLText, _ truth: SQLTruth
    ) -> SQLText {
        let condition: SQLText = "(\(value) = \(parameter))"
        return truth == .twoValued ? known(condition) : condition
    }

    static func items(for parameter: SQLText, _ kind: SQLOperand.Kind) -> SQLText { parameter }

    static func equality(
        _ left: SQLText, _ right: SQLText, _ kind: SQLOperand.Kind
    ) -> SQLText {
        "(\(left) IS NOT DISTINCT FROM \(right))"
    }

    /// NaN comes before every number. For the server, it comes after all of them.
    static func order(
        _ left: SQLText, _ comparison: PredicateComparison.Operator, _ right: SQLText,
        _ kind: SQLOperand.Kind, isConstant: Bool
    ) throws(Untranslatable) -> SQLText {
        let plain: SQLText = "\(left)\(comparison.sql)\(right)"
        guard let nan = notANumber(of: kind) else { return plain }
        guard isConstant else { throw Untranslatable() }
        return switch comparison {
        case .lessThan, .lessThanOrEqual: "(\(plain) OR \(left) = \(nan))"
        default: "(\(plain) AND \(left) <> \(nan))"
        }
    }

    /// NaN in SQL, if values of the kind may be NaN.
    private static func notANumber(of kind: SQLOperand.Kind) -> SQLText? {
        switch kind {
        case .real, .date: "'NaN'::float8"
        case .decimal: "'NaN'::numeric"
        default: nil
        }
    }

    static func parameter(
        _ value: Value, for kind: SQLOperand.Kind
    ) throws(Untranslatable) -> SQLText {
        switch (kind, value) {
        case (.integer, .integer(let value)): return "\(bind: .integer(value))"
        case (.integer, .boolean(let flag)): return "\(bind: .integer(flag ? 1 : 0))"
        case (.integer, .double(let value)):
            guard let value = Int64(exactly: value) else { throw Untranslatable() }
            return "\(bind: .integer(value))"
        case (.real, .double(let value)): return "\(bind: .real(value))"
        case (.real, .float(let value)): return "\(bind: .real(Double(value)))"
        case (.real, .integer(let value)):
            guard let value = Double(exactly: value) else { throw Untranslatable() }
            return "\(bind: .real(value))"
        case (.date, .date(let date)): return "\(bind: .real(date.timeIntervalSinceReferenceDate))"
        case (.decimal, .decimal(let value)):
            return "\(bind: .text(value.isNaN ? "NaN" : "\(value)"))::numeric"
        case (.decimal, .integer(let value)): return "\(bind: .text("\(value)"))::numeric"
        // The server cannot hold such a text, so no row has it, but neither can it be sent.
        case (.text, .string(let text)) where !text.utf8.contains(0): return "\(bind: .text(text))"
        case (.uri, .uri(let url)): return "\(bind: .text(url.absoluteString))"
        case (.uuid, .uuid(let uuid)): return "\(bind: .uuid(uuid))"
        case (.binary, .binary(let data)), (.transformable, .transformable(let data)):
            return "\(bind: .blob(data))"
        default: throw Untranslatable()
        }
    }

    // MARK: Text

    static func folded(
        _ text: SQLText, _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText {
        throw Untranslatable()
    }

    static func textCondition(
        _ comparison: PredicateComparison.Operator, _ text: SQLText, _ part: SQLOperand,
        _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText {
        guard options.isSubset(of: .normalized) else { throw Untranslatable() }
        let sought: SQLText
        switch part {
        case .constant(let value): sought = try parameter(value, for: .text)
        case .expression(let sql, .text): sought = sql
        default: throw Untranslatable()
        }
        return switch comparison {
        case .beginsWith: "starts_with(\(text), \(sought))"
        case .endsWith: "right(\(text), length(\(sought))) = \(sought)"
        case .contains: "strpos(\(text), \(sought)) > 0"
        default: throw Untranslatable()
        }
    }

    // MARK: Values

    static func summary(
        _ collectionOperator: BoundPath.CollectionOperator, _ value: SQLText,
        _ kind: SQLOperand.Kind, _ type: AttributeType?
    ) throws(Untranslatable) -> (SQLText, SQLOperand.Kind) {
        switch (collectionOperator, kind) {
        case (.min, .integer), (.min, .text): ("min(\(value))", kind)
        case (.max, .integer), (.max, .text): ("max(\(value))", kind)
        // The sum of 64-bit integers could exceed 64 bits.
        case (.sum, _) where type == .integer16 || type == .integer32:
            ("coalesce(sum(\(value)), 0)", .integer)
        default: throw Untranslatable()
        }
    }

    static func call(
        _ function: PredicateFunction, _ arguments: [SQLOperand]
    ) throws(Untranslatable) -> SQLOperand {
        throw Untranslatable()
    }

    static func sortTerms(
        _ value: SQLText, _ kind: SQLOperand.Kind, _ order: BoundSort.TextOrder, isAscending: Bool
    ) throws(Untranslatable) -> [SQLText] {
        if case .object = kind {} else if !kind.isOrdered { throw Untranslatable() }
        guard kind != .text || order == .scalars else { throw Untranslatable() }
        guard let nan = notANumber(of: kind) else {
            return [isAscending ? "\(value) NULLS FIRST" : "\(value) DESC NULLS LAST"]
        }
        // `nil` first, then NaN, then the values.
        let terms: [SQLText] = ["(\(value) IS NOT NULL)", "(\(value) <> \(nan))", value]
        return isAscending ? terms : terms.map { "\($0) DESC" }
    }
}

extension PostgresStatement {
    /// Creates a statement whose parameters have numbers instead of question marks.
    init(_ sql: SQLText) {
        var text: [UInt8] = []
        var (number, quote) = (0, nil as UInt8?)
        for byte in sql.text.utf8 {
            switch byte {
            case UInt8(ascii: "?") where quote == nil:
                number += 1
                text += "$\(number)".utf8
                continue
            // A doubled quote ends a name and begins it again.
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                quote = quote == nil ? byte : quote == byte ? nil : quote
            default: break
            }
            text.append(byte)
        }
        self.init(String(decoding: text, as: UTF8.self), sql.parameters.map(PostgresParameter.init))
    }
}

extension PostgresParameter {
    fileprivate init(_ parameter: SQLText.Parameter) {
        self =
            switch parameter {
            case .integer(let value): .integer(value)
            case .real(let value): .real(value)
            case .text(let value): .text(value)
            case .blob(let value): .bytes(value)
            case .uuid(let value): .uuid(value)
            }
    }
}

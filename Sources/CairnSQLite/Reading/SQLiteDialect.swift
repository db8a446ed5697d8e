import CairnModel
import CairnSQL
import CairnStore
import Foundation

/// Predicates in the SQL of SQLite, on Core Data's tables.
struct SQLiteDialect: SQLDialect {
    let schema: FetchSchema

    var store: StoreNumber { schema.store }
    static let key = SQLName("Z_PK")
    /// Below SQLite's limit of 64 tables in a join.
    static let mostTables = 60

    /// The stack of SQLite's parser has 100 entries (YYSTACKDEPTH in SQLite's parse.y). The statement around the
    /// text takes some of them, and so does each level of parentheses around several conditions.
    static func fits(_ text: SQLText, among count: Int) -> Bool {
        text.fitsParser(with: 88 - 3 * (Int.bitWidth - count.leadingZeroBitCount))
    }

    // MARK: Tables

    func table(of entity: Entity) -> SQLText? {
        schema.map.schema(of: entity).map { "\($0.table)" }
    }

    func column(of relationship: Relationship) -> SQLName? {
        schema.map.column(of: relationship)?.name
    }

    func pairs(
        of relationship: Relationship
    ) -> (table: SQLText, owner: SQLName, member: SQLName)? {
        schema.map.joinTable(of: relationship).map {
            ($0.pairs(of: relationship), $0.ownerColumn, $0.memberColumn)
        }
    }

    func value(of attribute: Attribute, at alias: SQLName) throws(Untranslatable) -> SQLOperand {
        guard let column = schema.map.column(of: attribute), case .value(let name) = column.form
        else { throw Untranslatable() }
        if column.slot.kind == .externalBinary { return .expression("\(alias).\(name)", .opaque) }
        return try Self.value(of: name, attribute.type, at: alias)
    }

    func value(
        of attribute: Attribute, element path: [String], _ type: AttributeType, at alias: SQLName
    ) throws(Untranslatable) -> SQLOperand {
        guard let column = schema.map.column(of: attribute),
            case .composite(let elements) = column.form,
            let element = elements.first(where: { $0.path == path })
        else { throw Untranslatable() }
        return try Self.value(of: element.name, type, at: alias)
    }

    private static func value(
        of column: SQLName, _ type: AttributeType, at alias: SQLName
    ) throws(Untranslatable) -> SQLOperand {
        guard let kind = SQLOperand.Kind(type) else { throw Untranslatable() }
        // A column that held doubles before a migration may contain values that no float can
        // represent.
        return type == .float
            ? .expression("cairn_float(\(alias).\(column))", kind)
            : .expression("\(alias).\(column)", kind)
    }

    // MARK: Conditions

    static func constant(_ value: Bool) -> SQLText { value ? "1" : "0" }

    static func known(_ condition: SQLText) -> SQLText { "ifnull(\(condition), 0)" }

    static func compares(_ kind: SQLOperand.Kind, with other: SQLOperand.Kind) -> Bool {
        switch (kind, other) {
        case (.integer, .real), (.real, .integer), (.integer, .date), (.date, .integer),
            (.real, .date), (.date, .real), (.integer, .decimal), (.decimal, .integer):
            true
        case (.opaque, _): false
        // The double 0.1 is not the decimal 0.1, but SQLite would find them equal.
        default: kind == other
        }
    }

    /// `=` can use an index. `IS` yields 0 instead of NULL if the other side is NULL.
    static func equality(
        _ value: SQLText, _ kind: SQLOperand.Kind, parameter: SQLText, _ truth: SQLTruth
    ) -> SQLText {
        switch truth {
        // The list can use an index, in contrast to a cast of the column.
        case .nullIsFalse where kind.mayBeText: "((\(value) IN (\(items(for: parameter, kind)))))"
        case .twoValued where kind.mayBeText:
            known("(\(value) IN (\(items(for: parameter, kind))))")
        case .nullIsFalse: "(\(value) = \(parameter))"
        case .twoValued: "(\(value) IS \(parameter))"
        }
    }

    /// Bytes are listed as a blob and as a text, which SQLite does not regard as equal.
    static func items(for parameter: SQLText, _ kind: SQLOperand.Kind) -> SQLText {
        kind.mayBeText ? "\(parameter),CAST(\(parameter) AS TEXT)" : parameter
    }

    static func equality(
        _ left: SQLText, _ right: SQLText, _ kind: SQLOperand.Kind
    ) -> SQLText {
        kind.mayBeText
            ? "(CAST(\(left) AS BLOB) IS CAST(\(right) AS BLOB))" : "(\(left) IS \(right))"
    }

    static func order(
        _ left: SQLText, _ comparison: PredicateComparison.Operator, _ right: SQLText,
        _ kind: SQLOperand.Kind, isConstant: Bool
    ) -> SQLText {
        "\(left)\(comparison.sql)\(right)"
    }

    // MARK: Parameters

    static func parameter(
        _ value: Value, for kind: SQLOperand.Kind
    ) throws(Untranslatable) -> SQLText {
        let parameter: SQLText.Parameter =
            switch (kind, value) {
            case (.text, .string(let text)): .text(text)
            case (.uri, .uri(let url)): .text(url.absoluteString)
            case (.uuid, .uuid(let uuid)): .uuid(uuid)
            case (.binary, .binary(let data)), (.transformable, .transformable(let data)):
                .blob(data)
            case (.integer, _), (.real, _), (.date, _): try number(value)
            case (.decimal, _): try decimal(value)
            default: throw Untranslatable()
            }
        return "\(bind: parameter)"
    }

    /// Returns the parameter for a number. SQLite compares integers and doubles by their exact
    /// values.
    private static func number(_ value: Value) throws(Untranslatable) -> SQLText.Parameter {
        switch value {
        case .integer(let value): .integer(value)
        case .boolean(let flag): .integer(flag ? 1 : 0)
        // A NaN would be bound as NULL.
        case .double(let value) where !value.isNaN: .real(value)
        case .float(let value) where !value.isNaN: .real(Double(value))
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isNaN:
            .real(date.timeIntervalSinceReferenceDate)
        default: throw Untranslatable()
        }
    }

    /// Returns the parameter for a decimal. A stored double stands for its shortest decimal, and
    /// the order of these decimals is that of the doubles. Therefore doubles can be compared if the
    /// constant is the shortest decimal of a double.
    private static func decimal(_ value: Value) throws(Untranslatable) -> SQLText.Parameter {
        switch value {
        case .integer(let value): return .integer(value)
        case .boolean(let flag): return .integer(flag ? 1 : 0)
        case .decimal(let value):
            switch StoredDecimal(value) {
            case .integer(let value): return .integer(value)
            case .real(let value): return .real(value)
            case nil: throw Untranslatable()
            }
        default: throw Untranslatable()
        }
    }
}

// MARK: - Text

extension SQLiteDialect {
    static func folded(_ text: SQLText, _ options: PredicateComparison.Options) -> SQLText {
        "cairn_fold(\(text), \(bind: .integer(Int64(options.rawValue))))"
    }

    static func textCondition(
        _ comparison: PredicateComparison.Operator, _ text: SQLText, _ part: SQLOperand,
        _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText {
        switch comparison {
        case .like: return try pattern("cairn_like", text, part, options)
        case .matches: return try pattern("cairn_matches", text, part, options)
        default: break
        }
        if comparison == .beginsWith, options.isEmpty, case .constant(.string(let prefix)) = part {
            return range(of: text, beginningWith: prefix)
        }
        let foldings = options.subtracting(.normalized)
        func folded(_ text: SQLText) -> SQLText {
            foldings.isEmpty ? text : Self.folded(text, foldings)
        }
        let whole = folded(text)
        let sought: SQLText
        switch part {
        case .constant(.string(let text)):
            sought = "\(bind: .text(PredicateText.folded(text, options)))"
        case .expression(let sql, .text): sought = folded(sql)
        default: throw Untranslatable()
        }
        return switch comparison {
        case .beginsWith: "cairn_begins(\(whole), \(sought))"
        case .endsWith: "cairn_ends(\(whole), \(sought))"
        default: "cairn_contains(\(whole), \(sought))"
        }
    }

    /// Translates a pattern match. Only constant patterns are supported; they are compiled once per
    /// statement.
    private static func pattern(
        _ function: SQLText, _ text: SQLText, _ pattern: SQLOperand,
        _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText {
        guard case .constant(.string(let pattern)) = pattern else { throw Untranslatable() }
        let options: SQLText = "\(bind: .integer(Int64(options.rawValue)))"
        return "\(function)(\(bind: .text(pattern)), \(options), \(text))"
    }

    /// Translates a prefix test without options to a range, which an index can find. Texts with a
    /// common prefix are adjacent in byte order.
    private static func range(of text: SQLText, beginningWith prefix: String) -> SQLText {
        if prefix.isEmpty { return "\(text) IS NOT NULL" }
        let low: SQLText = "\(text) >= \(bind: .text(prefix))"
        guard let end = end(ofTextsBeginningWith: prefix) else { return low }
        return "(\(low) AND \(text) < \(bind: .text(end)))"
    }

    /// Returns the first string, in scalar order, after all strings that begin with the prefix.
    /// Returns `nil` if there is no such string.
    private static func end(ofTextsBeginningWith prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not scalars, so U+E000 follows U+D7FF.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            var result = String.UnicodeScalarView()
            result.append(contentsOf: scalars + [scalar])
            return String(result)
        }
        return nil
    }
}

// MARK: - Values

extension SQLiteDialect {
    static func summary(
        _ collectionOperator: BoundPath.CollectionOperator, _ value: SQLText,
        _ kind: SQLOperand.Kind, _ type: AttributeType?
    ) throws(Untranslatable) -> (SQLText, SQLOperand.Kind) {
        switch collectionOperator {
        case .min where kind.isOrdered: ("MIN(\(value))", kind)
        case .max where kind.isOrdered: ("MAX(\(value))", kind)
        case .sum where type == .integer16 || type == .integer32:
            // The sum of 64-bit integers could exceed 64 bits, which is an error in SQLite. The last bits of
            // a sum of doubles depend on the order of addition.
            ("ifnull(SUM(\(value)), 0)", .integer)
        default: throw Untranslatable()
        }
    }

    /// Translates the functions that SQLite computes with the same results as the evaluator.
    ///
    /// SQLite's arithmetic behaves like the evaluator's: it uses doubles if 64 bits do not suffice,
    /// truncates integer division towards zero, and yields NULL for a division by zero or a NaN.
    static func call(
        _ function: PredicateFunction, _ arguments: [SQLOperand]
    ) throws(Untranslatable) -> SQLOperand {
        switch function {
        case .add: try arithmetic(arguments, " + ")
        case .subtract: try arithmetic(arguments, " - ")
        case .multiply: try arithmetic(arguments, " * ")
        case .divide: try arithmetic(arguments, " / ")
        case .lowercase: try textCall("cairn_lowercase", arguments, .text)
        case .uppercase: try textCall("cairn_uppercase", arguments, .text)
        case .canonical: try textCall("cairn_canonical", arguments, .text)
        case .length: try textCall("cairn_length", arguments, .integer)
        // `now` must be the same moment in the remaining predicate. SQLite lacks the other
        // functions or
        // rounds their results differently.
        default: throw Untranslatable()
        }
    }

    private static func arithmetic(
        _ arguments: [SQLOperand], _ symbol: SQLText
    ) throws(Untranslatable) -> SQLOperand {
        guard arguments.count == 2 else { throw Untranslatable() }
        if case .null = arguments[0] { return .null }
        if case .null = arguments[1] { return .null }
        let ((a, kind), (b, other)) = (try number(arguments[0]), try number(arguments[1]))
        let result: SQLOperand.Kind = kind == .integer && other == .integer ? .integer : .real
        return .expression("(\(a)\(symbol)\(b))", result)
    }

    /// Returns an operand of arithmetic. Dates may be stored as integers, so they are converted to
    /// doubles.
    private static func number(
        _ operand: SQLOperand
    ) throws(Untranslatable) -> (SQLText, SQLOperand.Kind) {
        switch operand {
        case .expression(let sql, .integer): return (sql, .integer)
        case .expression(let sql, .real), .expression(let sql, .date):
            return ("CAST(\(sql) AS REAL)", .real)
        case .constant(let value):
            let parameter = try number(value)
            if case .integer = parameter { return ("\(bind: parameter)", .integer) }
            return ("\(bind: parameter)", .real)
        default: throw Untranslatable()
        }
    }

    private static func textCall(
        _ function: SQLText, _ arguments: [SQLOperand], _ result: SQLOperand.Kind
    ) throws(Untranslatable) -> SQLOperand {
        guard arguments.count == 1 else { throw Untranslatable() }
        switch arguments[0] {
        case .null: return .null
        case .expression(let sql, .text): return .expression("\(function)(\(sql))", result)
        default: throw Untranslatable()
        }
    }

    /// SQLite sorts NULL first in ascending and last in descending order, as Cairn does with `nil`.
    static func sortTerms(
        _ value: SQLText, _ kind: SQLOperand.Kind, _ order: BoundSort.TextOrder, isAscending: Bool
    ) throws(Untranslatable) -> [SQLText] {
        let key: SQLText
        switch (kind, order) {
        case (.text, .caseInsensitive): key = folded(value, .caseInsensitive)
        case (.text, .standard): key = "cairn_order(\(value))"
        case (.object, _): key = value
        default:
            guard kind.isOrdered else { throw Untranslatable() }
            key = value
        }
        return [isAscending ? key : "\(key) DESC"]
    }
}

extension SQLOperand.Kind {
    /// Whether values of this kind are bytes, which may be stored as a text: see ``StoredRow``.
    fileprivate var mayBeText: Bool { self == .binary || self == .transformable }
}

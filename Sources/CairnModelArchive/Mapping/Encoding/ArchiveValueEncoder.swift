import CairnModel
import Foundation

/// Encodes values, predicates and expressions in an archive.
struct ArchiveValueEncoder {
    typealias Node = BinaryPropertyList.Node

    var builder = KeyedArchiveBuilder()
    private var texts: [String: Int] = [:]

    /// Returns the object number of a string. Equal strings share one object.
    mutating func number(of text: String) -> Int {
        if let number = texts[text] { return number }
        let number = builder.add(plain: .string(text))
        texts[text] = number
        return number
    }

    /// Returns a reference to a string, or a reference to null if the string is `nil`.
    mutating func string(_ text: String?) -> Node {
        .reference(text.map { number(of: $0) } ?? 0)
    }

    mutating func number(ofUserInfo userInfo: [String: String]) -> Int {
        var entries: [(key: Int, value: Int)] = []
        for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
            entries.append((number(of: key), number(of: value)))
        }
        return builder.add(dictionary: entries)
    }

    /// Returns the object number of a value, or 0 for null and for values that archives of models cannot
    /// contain.
    mutating func number(of value: Value) -> Int {
        switch value {
        case .null, .composite, .objectID: return 0
        case .boolean(let value): return builder.add(plain: .boolean(value))
        case .integer(let value): return builder.add(plain: .integer(value))
        case .double(let value): return builder.add(plain: .real(value))
        case .float(let value): return builder.add(plain: .real(Double(value)))
        case .string(let text): return number(of: text)
        case .date(let date):
            return builder.add(plain: .date(date.timeIntervalSinceReferenceDate))
        case .binary(let data): return builder.add(plain: .data(Array(data)))
        case .decimal(let decimal): return number(of: decimal)
        case .uuid(let uuid):
            let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
            return builder.add("NSUUID", [("NS.uuidbytes", .data(bytes))])
        case .uri(let url):
            return builder.add(
                "NSURL", [("NS.base", .reference(0)), ("NS.relative", string(url.absoluteString))])
        case .transformable(let data): return number(ofArchive: Array(data))
        }
    }

    /// Returns the object number of the root object of an archive, or of the bytes themselves if they are not
    /// an archive.
    private mutating func number(ofArchive bytes: [UInt8]) -> Int {
        do {
            return try KeyedArchiveExtractor.graft(KeyedArchive(bytes), into: &builder)
        } catch {
            return builder.add(plain: .data(bytes))
        }
    }

    private mutating func number(of decimal: Decimal) -> Int {
        builder.add(ArchivedDecimal.className, ArchivedDecimal.fields(of: decimal))
    }

    /// Returns the validation rules as two parallel arrays, or no fields if there are no rules.
    mutating func validation(_ rules: [ValidationRule]) -> [(String, Node)] {
        if rules.isEmpty { return [] }
        var predicates: [Int] = []
        var warnings: [Int] = []
        for rule in rules {
            let (predicate, warning) = ValidationEncoder.compiled(rule)
            predicates.append(number(of: predicate))
            warnings.append(number(of: warning))
        }
        return [
            ("NSValidationPredicates", .reference(builder.add(list: predicates))),
            ("NSValidationWarnings", .reference(builder.add(list: warnings))),
        ]
    }

    /// Returns the object number of the expression with this text. If the text cannot be restored from the
    /// expression, also returns the text under one of Cairn's own keys.
    mutating func expression(text: String) -> (number: Int, extra: [(String, Node)]) {
        let expression = ExpressionText.expression(text)
        let number = number(of: expression ?? .constant(.null))
        let isKept = expression.map { ExpressionText.text($0) } == text
        return (number, isKept ? [] : [(ArchiveKey.expressionText, string(text))])
    }
}

extension ArchiveValueEncoder {
    /// Adds a template's condition and returns its object number, or 0 if the condition is `nil`.
    mutating func number(of condition: FetchRequestTemplate.Condition?) -> Int {
        switch condition {
        case nil: 0
        case .predicate(let predicate)?: number(of: predicate)
        case .unreadable(let text, let reason)?:
            // Core Data reads this as a predicate that is always false. Cairn reads the text.
            builder.add(
                "NSFalsePredicate",
                [
                    (ArchiveKey.unreadableText, string(text)),
                    (ArchiveKey.unreadableReason, string(reason)),
                ])
        }
    }

    /// Adds a predicate and returns its object number, or 0 if the predicate is `nil`.
    mutating func number(of predicate: FetchPredicate?) -> Int {
        switch predicate {
        case nil: return 0
        case .constant(let value)?:
            return builder.add(value ? "NSTruePredicate" : "NSFalsePredicate", [])
        case .and(let parts)?: return compound(1, parts)
        case .or(let parts)?: return compound(2, parts)
        case .not(let part)?: return compound(0, [part])
        case .comparison(let comparison)? where comparison.modifier == .none:
            // `NSComparisonPredicate` has no modifier for `NONE`.
            var any = comparison
            any.modifier = .any
            return compound(0, [.comparison(any)], [(ArchiveKey.isNone, .boolean(true))])
        case .comparison(let comparison)?:
            let fields: [(String, Node)] = [
                ("NSLeftExpression", .reference(number(of: comparison.left))),
                ("NSRightExpression", .reference(number(of: comparison.right))),
                ("NSPredicateOperator", .reference(number(ofOperatorOf: comparison))),
            ]
            return builder.add("NSComparisonPredicate", fields)
        }
    }

    private mutating func compound(
        _ type: Int64, _ parts: [FetchPredicate], _ extra: [(String, Node)] = []
    ) -> Int {
        var numbers: [Int] = []
        for part in parts { numbers.append(number(of: part)) }
        let list = builder.add(list: numbers)
        return builder.add(
            "NSCompoundPredicate",
            [("NSCompoundPredicateType", .integer(type)), ("NSSubpredicates", .reference(list))]
                + extra)
    }

    /// Adds the operator of a comparison. For operators other than `<`, `==` and `CONTAINS`, no file was
    /// available to confirm the class names and keys. They follow the public class hierarchy.
    private mutating func number(ofOperatorOf comparison: PredicateComparison) -> Int {
        let code = Int64(comparison.operator.archivedCode)
        let options = Int64(comparison.options.rawValue)
        var fields: [(String, Node)] = [
            ("NSOperatorType", .integer(code)),
            ("NSModifier", .integer(comparison.modifier.archivedCode)),
        ]
        let className: String
        switch comparison.operator {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            className = "NSComparisonPredicateOperator"
            fields += [("NSOptions", .integer(options)), ("NSVariant", .integer(code))]
        case .equal, .notEqual:
            className = "NSEqualityPredicateOperator"
            let isNegated = comparison.operator == .notEqual
            fields += [("NSOptions", .integer(options)), ("NSNegate", .boolean(isNegated))]
        case .in, .contains:
            className = "NSInPredicateOperator"
            fields.append(("NSFlags", .integer(options)))
        case .matches:
            className = "NSMatchingPredicateOperator"
            fields.append(("NSFlags", .integer(options)))
        case .like:
            className = "NSLikePredicateOperator"
            fields.append(("NSFlags", .integer(options)))
        case .beginsWith, .endsWith:
            className = "NSSubstringPredicateOperator"
            let position: Int64 = comparison.operator == .beginsWith ? 0 : 1
            fields += [("NSFlags", .integer(options)), ("NSPosition", .integer(position))]
        case .between:
            className = "NSBetweenPredicateOperator"
            fields.append(("NSFlags", .integer(options)))
        }
        return builder.add(className, fields)
    }

    mutating func number(of expression: FetchExpression) -> Int {
        switch expression {
        case .constant(let value):
            return add("NSConstantValueExpression", 0, [("NSConstantValue", number(of: value))])
        case .evaluatedObject: return add("NSSelfExpression", 1, [])
        case .variable(let name):
            return add("NSVariableExpression", 2, [("NSVariable", number(of: name))])
        case .keyPath(let names): return keyPath(names, of: .evaluatedObject)
        case .keyPathOf(let base, let names): return keyPath(names, of: base)
        case .list(let items):
            return add("NSAggregateExpression", 14, [("NSCollection", list(items))])
        case .function(let name, let arguments):
            let utilities = add(
                "NSConstantValueExpression", 0,
                [("NSConstantValueClassName", number(of: "_NSPredicateUtilities"))])
            return add(
                "NSFunctionExpression", 4,
                [
                    ("NSOperand", utilities), ("NSSelectorName", number(of: name)),
                    // Core Data's compiler uses a different list class for a count.
                    (
                        "NSArguments",
                        list(arguments, as: name == "count:" ? "NSArray" : "NSMutableArray")
                    ),
                ])
        case .subquery(let collection, let variable, let predicate):
            return add(
                "NSSubqueryExpression", 13,
                [
                    ("NSCollection", number(of: collection)),
                    ("NSVariableExpression", number(of: .variable(variable))),
                    ("NSPredicate", number(of: predicate)),
                ])
        case .conditional(let condition, let then, let otherwise):
            return add(
                "NSTernaryExpression", 20,
                [
                    ("NSPredicate", number(of: condition)),
                    ("NSTrueExpression", number(of: then)),
                    ("NSFalseExpression", number(of: otherwise)),
                ])
        }
    }

    /// Adds an expression whose fields are all objects. The types are those of `NSExpressionType`.
    private mutating func add(
        _ className: String, _ type: Int64, _ fields: [(String, Int)]
    ) -> Int {
        let references: [(String, Node)] = fields.map { ($0.0, .reference($0.1)) }
        return builder.add(className, [("NSExpressionType", .integer(type))] + references)
    }

    private mutating func list(
        _ expressions: [FetchExpression], as className: String = "NSArray"
    ) -> Int {
        var numbers: [Int] = []
        for expression in expressions { numbers.append(number(of: expression)) }
        return builder.add(list: numbers, as: className)
    }

    private mutating func keyPath(_ names: [String], of base: FetchExpression) -> Int {
        if names.isEmpty { return number(of: base) }
        let specifier = add(
            "NSKeyPathSpecifierExpression", 10,
            [("NSKeyPath", number(of: names.joined(separator: ".")))])
        let isOwn = base == .evaluatedObject
        let selector = isOwn && names.count == 1 ? "valueForKey:" : "valueForKeyPath:"
        let arguments = builder.add(list: [specifier], as: "NSMutableArray")
        return add(
            "NSKeyPathExpression", isOwn ? 3 : 4,
            [
                ("NSOperand", number(of: base)), ("NSSelectorName", number(of: selector)),
                ("NSArguments", arguments),
            ])
    }
}

extension PredicateComparison.Modifier {
    /// The value in `NSComparisonPredicateModifier`, which has no value for `NONE`.
    fileprivate var archivedCode: Int64 {
        switch self {
        case .direct, .none: 0
        case .all: 1
        case .any: 2
        }
    }
}

/// Compiles validation rules to predicates and the error codes that belong to them.
enum ValidationEncoder {
    private typealias Code = ValidationDecoder.Code

    static func compiled(_ rule: ValidationRule) -> (predicate: FetchPredicate, warning: Value) {
        switch rule {
        case .minimum(.date(let date)):
            let seconds = Value.double(date.timeIntervalSinceReferenceDate)
            return (
                comparison(.keyPath([dateKey]), .greaterThanOrEqual, seconds),
                code(Code.dateTooSoon)
            )
        case .maximum(.date(let date)):
            let seconds = Value.double(date.timeIntervalSinceReferenceDate)
            return (
                comparison(.keyPath([dateKey]), .lessThanOrEqual, seconds), code(Code.dateTooLate)
            )
        case .minimum(let bound):
            return (
                comparison(.evaluatedObject, .greaterThanOrEqual, bound),
                code(Code.numberTooSmall)
            )
        case .maximum(let bound):
            return (
                comparison(.evaluatedObject, .lessThanOrEqual, bound), code(Code.numberTooLarge)
            )
        case .minimumLength(let count):
            let count = Value.integer(Int64(count))
            return (
                comparison(.keyPath(["length"]), .greaterThanOrEqual, count),
                code(Code.stringTooShort)
            )
        case .maximumLength(let count):
            let count = Value.integer(Int64(count))
            return (
                comparison(.keyPath(["length"]), .lessThanOrEqual, count),
                code(Code.stringTooLong)
            )
        case .matches(let pattern):
            return (
                comparison(.evaluatedObject, .matches, .string(pattern)),
                code(Code.patternMismatch)
            )
        case .predicate(let predicate, let warning):
            return (predicate, Int64(warning).map(Value.integer) ?? .string(warning))
        }
    }

    private static let dateKey = "timeIntervalSinceReferenceDate"

    private static func code(_ code: Int) -> Value { .integer(Int64(code)) }

    private static func comparison(
        _ left: FetchExpression, _ operator: PredicateComparison.Operator, _ right: Value
    ) -> FetchPredicate {
        .comparison(PredicateComparison(left, `operator`, .constant(right)))
    }
}

import CairnModel

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

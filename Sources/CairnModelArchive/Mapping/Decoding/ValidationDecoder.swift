import CairnModel
import Foundation

/// Converts predicates to the validation rules from which they were compiled.
enum ValidationDecoder {
    /// The error codes in the warnings of the predicates (CoreDataErrors.h).
    enum Code {
        static let numberTooLarge = 1610
        static let numberTooSmall = 1620
        static let dateTooLate = 1630
        static let dateTooSoon = 1640
        static let stringTooLong = 1660
        static let stringTooShort = 1670
        static let patternMismatch = 1680
    }

    static func rules(
        of object: ArchivedObject, type: AttributeType
    ) throws(ModelArchiveError) -> [ValidationRule] {
        let warnings = try object.elements("NSValidationWarnings")
        var rules: [ValidationRule] = []
        for (index, value) in try object.elements("NSValidationPredicates").enumerated() {
            // A rule that cannot be read must not prevent objects from being saved.
            guard let predicate = PredicateDecoder.predicate(value).predicate else { continue }
            let warning = index < warnings.count ? warnings[index] : .null
            let compiled = warning.string == nil ? compiledRules(predicate, type: type) : []
            rules += compiled
            if compiled.isEmpty {
                rules.append(.predicate(predicate, warning: text(warning)))
            }
        }
        return rules
    }

    /// Returns the rules from which a predicate was compiled, which are two for a predicate with both bounds.
    /// Returns no rules if the author wrote the predicate.
    private static func compiledRules(
        _ predicate: FetchPredicate, type: AttributeType
    ) -> [ValidationRule] {
        guard case .and(let parts) = predicate else {
            return rule(predicate, type: type).map { [$0] } ?? []
        }
        let rules = parts.compactMap { rule($0, type: type) }
        return rules.count == parts.count ? rules : []
    }

    private static func text(_ warning: ArchivedValue) -> String {
        warning.string ?? warning.integer.map(String.init) ?? ""
    }

    /// Returns the rule from which a predicate was compiled, or `nil` if the author wrote the predicate.
    private static func rule(_ predicate: FetchPredicate, type: AttributeType) -> ValidationRule? {
        guard case .comparison(let comparison) = predicate, comparison.modifier == .direct,
            comparison.options.isEmpty, case .constant(let bound) = comparison.right
        else { return nil }
        switch (comparison.left, comparison.operator, bound) {
        case (.evaluatedObject, .greaterThanOrEqual, _):
            return typed(bound, type).map { .minimum($0) }
        case (.evaluatedObject, .lessThanOrEqual, _): return typed(bound, type).map { .maximum($0) }
        case (.evaluatedObject, .matches, .string(let pattern)):
            return .matches(regularExpression: pattern)
        case (.keyPath(["length"]), .greaterThanOrEqual, .integer(let count)):
            return .minimumLength(Int(clamping: count))
        case (.keyPath(["length"]), .lessThanOrEqual, .integer(let count)):
            return .maximumLength(Int(clamping: count))
        case (.keyPath(["timeIntervalSinceReferenceDate"]), .greaterThanOrEqual, _):
            return typed(bound, .date).map { .minimum($0) }
        case (.keyPath(["timeIntervalSinceReferenceDate"]), .lessThanOrEqual, _):
            return typed(bound, .date).map { .maximum($0) }
        default: return nil
        }
    }

    /// Returns the bound in the attribute's own type. Archives contain only integers and doubles.
    private static func typed(_ bound: Value, _ type: AttributeType) -> Value? {
        switch (bound, type) {
        case (.integer(let value), .date):
            .date(Date(timeIntervalSinceReferenceDate: Double(value)))
        case (.double(let value), .date): .date(Date(timeIntervalSinceReferenceDate: value))
        case (.integer(let value), .double): .double(Double(value))
        case (.integer(let value), .float): .float(Float(value))
        case (.double(let value), .float): .float(Float(value))
        case (.integer(let value), .decimal): .decimal(Decimal(value))
        case (.double(let value), .decimal): value.isFinite ? .decimal(Decimal(value)) : nil
        case (.double(let value), .integer16), (.double(let value), .integer32),
            (.double(let value), .integer64):
            Int64(exactly: value.rounded(.towardZero)).map(Value.integer)
        default: bound
        }
    }
}

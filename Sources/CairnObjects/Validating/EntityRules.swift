import CairnModel
import CairnStack
import Foundation

/// The rules that values of one entity must meet to be saved, compiled once.
final class EntityRules {
    /// A rule for an attribute: its error code, its text, and a function that returns whether a value
    /// meets it.
    struct Rule {
        let code: Int
        let text: String
        let holds: @Sendable (Value) throws(FetchPredicateError) -> Bool

        /// Returns a description of how the value breaks the rule, or `nil` if the value meets it.
        ///
        /// A value also breaks the rule if checking it takes too many steps, so that no unchecked value
        /// is saved.
        func violation(by value: Value) -> String? {
            do {
                return try holds(value) ? nil : text
            } catch {
                return "the rule “\(text)” could not be checked: \(error)"
            }
        }
    }

    final class AttributeRules {
        let binding: AttributeBinding
        /// The slot of the value in a row, or `nil` if rows do not hold the value.
        let rowSlot: RowSlot?
        let isRequired: Bool
        let rules: [Rule]
        let hasRules: Bool

        init(_ binding: AttributeBinding, isRequired: Bool, rules: [Rule]) {
            self.binding = binding
            rowSlot = binding.storage.rowSlot
            self.isRequired = isRequired
            self.rules = rules
            hasRules = !rules.isEmpty
        }
    }

    /// The rules of all attributes that have rules, or of all attributes if the class has its own check.
    /// Derived attributes are left out.
    let attributes: ContiguousArray<AttributeRules>
    /// The row slots of attributes whose only rule is that they must not be `nil`. If all of them have a
    /// value, only the attributes in ``demanding`` must be checked.
    let requiredSlots: ContiguousArray<RowSlot>
    let demanding: ContiguousArray<AttributeRules>
    private let byName: [String: AttributeRules]
    /// The relationships that have rules.
    let relationships: [RelationshipBinding]

    init(_ kind: ObjectKind) {
        attributes = ContiguousArray(
            kind.entity.attributes.compactMap { attribute in
                // The store computes derived attributes.
                guard !attribute.isDerived else { return nil }
                let rules = attribute.description.validationRules.map { Self.rule($0, attribute) }
                let isRequired = !attribute.isOptional && !attribute.isTransient
                guard isRequired || !rules.isEmpty || kind.hooks.checkValue != nil else {
                    return nil
                }
                return AttributeRules(
                    AttributeBinding(attribute), isRequired: isRequired, rules: rules)
            })
        func isOnlyRequired(_ rules: AttributeRules) -> Bool {
            rules.rowSlot != nil && !rules.hasRules && kind.hooks.checkValue == nil
        }
        requiredSlots = ContiguousArray(attributes.filter(isOnlyRequired).compactMap(\.rowSlot))
        demanding = attributes.filter { !isOnlyRequired($0) }
        byName = Dictionary(
            attributes.map { ($0.binding.name, $0) }, uniquingKeysWith: { first, _ in first })
        relationships = kind.relationships.filter { binding in
            let description = binding.relationship.description
            return binding.isToMany
                ? description.minimumCount > 0 || description.maximumCount > 0
                : !description.isOptional
        }
    }

    /// Returns the rules of an attribute, or `nil` if it has no rules.
    func rules(of attribute: String) -> AttributeRules? { byName[attribute] }

    private static func rule(_ rule: ValidationRule, _ attribute: Attribute) -> Rule {
        switch rule {
        case .minimum(let bound): minimum(bound, attribute)
        case .maximum(let bound): maximum(bound, attribute)
        case .minimumLength(let count):
            // The length is counted in UTF-16 code units, as in Core Data.
            Rule(
                code: ErrorCode.textTooShort,
                text: "the value must have at least \(count.counted("character"))",
                holds: { $0.length.map { $0 >= count } ?? true })
        case .maximumLength(let count):
            Rule(
                code: ErrorCode.textTooLong,
                text: "the value must have at most \(count.counted("character"))",
                holds: { $0.length.map { $0 <= count } ?? true })
        case .matches(let pattern):
            predicate(
                .comparison(
                    PredicateComparison(.evaluatedObject, .matches, .constant(.string(pattern)))),
                attribute, code: ErrorCode.textDoesNotMatch,
                text: "the value must match “\(pattern)”")
        case .predicate(let condition, let warning):
            // In models, the warning is a custom error code or text.
            predicate(
                condition, attribute, code: Int(warning) ?? ErrorCode.refusedValue,
                text: Int(warning) == nil && !warning.isEmpty ? warning : "\(condition)")
        }
    }

    private static func minimum(_ bound: Value, _ attribute: Attribute) -> Rule {
        let isDate = attribute.type == .date
        return predicate(
            .comparison(
                PredicateComparison(.evaluatedObject, .greaterThanOrEqual, .constant(bound))),
            attribute,
            code: isDate ? ErrorCode.dateTooSoon : ErrorCode.numberTooSmall,
            text: isDate
                ? "the value must not be before \(bound.ruleText)"
                : "the value must be at least \(bound.ruleText)")
    }

    private static func maximum(_ bound: Value, _ attribute: Attribute) -> Rule {
        let isDate = attribute.type == .date
        return predicate(
            .comparison(PredicateComparison(.evaluatedObject, .lessThanOrEqual, .constant(bound))),
            attribute,
            code: isDate ? ErrorCode.dateTooLate : ErrorCode.numberTooLarge,
            text: isDate
                ? "the value must not be after \(bound.ruleText)"
                : "the value must be at most \(bound.ruleText)")
    }

    /// Returns a rule that checks a predicate. A predicate that cannot be compiled is a rule that every
    /// value breaks: it is better to refuse a save with a reason than to save unchecked values.
    private static func predicate(
        _ condition: FetchPredicate, _ attribute: Attribute, code: Int, text: String
    ) -> Rule {
        do {
            let compiled = try ValuePredicate(condition, for: attribute.type)
            return Rule(
                code: code, text: text,
                holds: { value throws(FetchPredicateError) in
                    try compiled.holds(for: value)
                })
        } catch {
            return Rule(
                code: code, text: "the rule “\(text)” cannot be checked: \(error)",
                holds: { _ in false })
        }
    }
}

extension Value {
    /// The number of UTF-16 code units of a string, or of bytes of data. `nil` for other values.
    fileprivate var length: Int? {
        switch self {
        case .string(let text): text.utf16.count
        case .binary(let data): data.count
        default: nil
        }
    }

    /// The text of a bound. The bound comes from the model and is not a stored value, so it may appear in
    /// messages.
    fileprivate var ruleText: String {
        switch self {
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .date(let value): "\(value)"
        default: "\(self)"
        }
    }
}

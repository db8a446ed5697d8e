import CairnModel
import Foundation

/// An option of an attribute that a class declares in addition to its name, type and default value.
public enum AttributeOption: Sendable, Hashable {
    /// The value is in memory only, and is not saved.
    case transient
    /// Stores compute the value, by an expression such as `books.@count`.
    case derived(String)
    /// Large values may be kept in files beside the store.
    case externalStorage
    /// The minimum and the maximum number.
    case range(ClosedRange<Double>)
    /// The minimum and the maximum number of characters.
    case length(ClosedRange<Int>)
    /// A regular expression that must match the whole string.
    case pattern(String)
    /// The name of the transformer of a transformable attribute.
    case transformer(String)
}

extension AttributeDescription {
    /// Applies an option.
    mutating func apply(_ option: AttributeOption) {
        switch option {
        case .transient: isTransient = true
        case .derived(let expression): derivation = Derivation(expression: expression)
        case .externalStorage: allowsExternalBinaryDataStorage = true
        case .range(let range):
            validationRules += [
                .minimum(number(range.lowerBound)), .maximum(number(range.upperBound)),
            ]
        case .length(let length):
            validationRules += [
                .minimumLength(length.lowerBound), .maximumLength(length.upperBound),
            ]
        case .pattern(let pattern): validationRules.append(.matches(regularExpression: pattern))
        case .transformer(let name): (type, valueTransformerName) = (.transformable, name)
        }
    }

    /// Returns a bound in the attribute's type, as in a model file.
    private func number(_ bound: Double) -> Value {
        switch type {
        case .integer16, .integer32, .integer64:
            Int64(exactly: bound.rounded()).map(Value.integer) ?? .double(bound)
        case .float: .float(Float(bound))
        case .decimal: .decimal(Decimal(bound))
        case .date: .date(Date(timeIntervalSinceReferenceDate: bound))
        default: .double(bound)
        }
    }
}

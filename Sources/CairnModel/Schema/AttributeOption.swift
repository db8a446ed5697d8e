import Foundation

/// A setting of an attribute that its name, type and default value do not express.
public enum AttributeOption: Sendable, Hashable {
    /// The value exists in memory only and is not saved.
    case transient
    /// Stores compute the value with an expression such as `books.@count`.
    case derived(String)
    /// Large values may be stored in files next to the store.
    case externalStorage
    /// The smallest and largest values allowed.
    case range(ClosedRange<Double>)
    /// The smallest and largest numbers of characters allowed.
    case length(ClosedRange<Int>)
    /// A regular expression that must match the whole string.
    case pattern(String)
    /// The attribute is transformable. The associated value is the name of its transformer.
    case transformer(String)
}

extension AttributeDescription {
    /// Applies an option to the description.
    @usableFromInline package mutating func apply(_ option: AttributeOption) {
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

    /// Returns a bound as a value of the attribute's own type, which is how model files store it.
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

import Cairn
import Foundation

/// Values that satisfy an attribute's rules, for objects of any model.
struct PlausibleValues {
    /// A number that differs for each object, so that unique values differ.
    let number: Int

    /// Returns a value of the attribute's type that satisfies its minimum, maximum and length rules.
    func value(for attribute: Attribute) -> Value {
        let rules = attribute.description.validationRules
        switch attribute.type {
        case .boolean: return .boolean(number % 2 == 0)
        case .integer16, .integer32, .integer64:
            return .integer(Int64(bounded(Double(number), rules)))
        case .double: return .double(bounded(Double(number) + 0.5, rules))
        case .float: return .float(Float(bounded(Double(number) + 0.5, rules)))
        case .decimal: return .decimal(Decimal(Int(bounded(Double(number), rules))))
        case .date:
            return .date(Date(timeIntervalSinceReferenceDate: bounded(Double(number), rules)))
        case .uuid: return .uuid(UUID())
        case .uri: return .uri(URL(fileURLWithPath: "/cairn/\(number)"))
        case .string: return .string(text(rules))
        case .binary: return .binary(Data("cairn \(number)".utf8))
        case .transformable: return .transformable(Data("cairn \(number)".utf8))
        case .composite, .undefined, .objectID: return .null
        }
    }

    private func bounded(_ wanted: Double, _ rules: [ValidationRule]) -> Double {
        rules.reduce(wanted) { value, rule in
            switch rule {
            case .minimum(let least): max(value, least.number ?? value)
            case .maximum(let most): min(value, most.number ?? value)
            default: value
            }
        }
    }

    private func text(_ rules: [ValidationRule]) -> String {
        // A model in the corpus requires that titles contain “title”.
        var text = "cairn title \(number)"
        for case .minimumLength(let least) in rules where text.count < least {
            text += String(repeating: "x", count: least - text.count)
        }
        for case .maximumLength(let most) in rules { text = String(text.suffix(most)) }
        return text
    }
}

extension Value {
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        case .date(let value): value.timeIntervalSinceReferenceDate
        default: nil
        }
    }
}

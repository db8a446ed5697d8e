import CairnModel
import Foundation

// Converts attribute values to plain values, without loss, and back.

extension PlainValue {
    /// Creates a plain value from the value of an attribute.
    init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .double(let value): Self.number(or: value)
            // Use the shortest decimal number that reads back as the same `Float`.
            case .float(let value): Self.number(or: Double(value.description) ?? Double(value))
            case .decimal(let value): .text(value.description)
            case .string(let value): .text(value)
            case .date(let value): Self.date(value)
            case .binary(let value), .transformable(let value):
                .text(value.base64EncodedString())
            case .uuid(let value): .text(value.uuidString)
            case .uri(let value): .text(value.absoluteString)
            case .composite(let elements): .fields(elements.mapValues(PlainValue.init))
            case .objectID(let id): .text(id.uriRepresentation().absoluteString)
            }
    }

    /// Returns a number, or a text for the values that JSON does not have: `inf`, `-inf` and `nan`.
    private static func number(or value: Double) -> PlainValue {
        value.isFinite ? .number(value) : .text(value.isNaN ? "nan" : "\(value)")
    }

    /// Returns a date in ISO 8601, or as seconds since 2001 if the ISO form would change the date.
    private static func date(_ date: Date) -> PlainValue {
        guard let text = ISO8601Date.text(date) else {
            return number(or: date.timeIntervalSinceReferenceDate)
        }
        return .text(text)
    }

    /// Returns the value for an attribute of a type. Returns `nil` if the plain value does not represent a
    /// value of that type.
    func value(
        as type: AttributeType, _ composite: CompositeDescription?, in model: ManagedObjectModel?
    ) -> Value? {
        switch (type, self) {
        case (_, .null): return .null
        case (.boolean, .boolean(let value)): return .boolean(value)
        case (.integer16, .integer(let value)), (.integer32, .integer(let value)),
            (.integer64, .integer(let value)):
            return Value.integer(value).fits(type) ? .integer(value) : nil
        case (.double, _): return double.map(Value.double)
        case (.float, _): return double.map { .float(Float($0)) }
        case (.decimal, .integer(let value)): return .decimal(Decimal(value))
        case (.decimal, .text(let text)): return Self.decimal(text).map(Value.decimal)
        case (.string, .text(let text)): return .string(text)
        case (.date, _): return date.map(Value.date)
        case (.binary, .text(let text)): return Data(base64Encoded: text).map(Value.binary)
        case (.transformable, .text(let text)):
            return Data(base64Encoded: text).map(Value.transformable)
        case (.uuid, .text(let text)): return UUID(uuidString: text).map(Value.uuid)
        case (.uri, .text(let text)): return URL(string: text).map(Value.uri)
        case (.composite, .fields(let fields)):
            var elements: [String: Value] = [:]
            for (name, field) in fields {
                guard let element = composite?.elements.first(where: { $0.name == name }),
                    let value = field.value(
                        as: element.type,
                        element.compositeName.flatMap { model?.composite(named: $0) }, in: model)
                else { return nil }
                if !value.isNull { elements[name] = value }
            }
            return .composite(elements)
        default: return nil
        }
    }

    /// Returns the number that the whole text represents. `Decimal` alone would ignore text after the number.
    private static func decimal(_ text: String) -> Decimal? {
        if text == Decimal.nan.description { return .nan }
        guard let number = Decimal(string: text, locale: nil), number.description == text else {
            return nil
        }
        return number
    }

    /// The date that this value represents in either of the two forms.
    private var date: Date? {
        if case .text(let text) = self, let date = ISO8601Date.date(text) { return date }
        return double.map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// The number that this value represents, including the numbers that JSON does not have.
    private var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .text("nan"): .nan
        case .text("inf"): .infinity
        case .text("-inf"): -.infinity
        default: nil
        }
    }
}

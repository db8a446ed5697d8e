import CairnModel
import Foundation

/// A value that JSON and property lists can represent.
enum PlainValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([PlainValue])
    case fields([String: PlainValue])
}

extension PlainValue: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            // A decoder may read -0 as the integer 0, and large integers only as rounded numbers.
            let isNegativeZero = value == 0 && value.sign == .minus
            let integer = isNegativeZero ? nil : try? container.decode(Int64.self)
            self = integer.map(Self.integer) ?? .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([PlainValue].self) {
            self = .list(value)
        } else {
            self = .fields(try container.decode([String: PlainValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .fields(let fields): try container.encode(fields)
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left.bitPattern == right.bitPattern
        // Encoding does not preserve whether a whole number was an integer or had a fraction.
        case (.integer(let integer), .number(let number)),
            (.number(let number), .integer(let integer)):
            Int64(exactly: number) == integer && (integer != 0 || number.sign == .plus)
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.list(let left), .list(let right)): left == right
        case (.fields(let left), .fields(let right)): left == right
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .null: break
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(Double(value))
        case .number(let value): hasher.combine(value)
        case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .list(let values): hasher.combine(values)
        case .fields(let fields): hasher.combine(fields)
        }
    }

    /// The kind of value, for error messages.
    var typeDescription: String {
        switch self {
        case .null: "nil"
        case .boolean: "true or false"
        case .integer, .number: "a number"
        case .text: "a string"
        case .list: "an array"
        case .fields: "an object"
        }
    }
}

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

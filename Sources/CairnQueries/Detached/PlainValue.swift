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

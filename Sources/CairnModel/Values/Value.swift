import Foundation

/// The value of one attribute, or a constant of a predicate.
///
/// Equality and hashing follow the form in which stores save values. Strings are compared by their bytes,
/// without the Unicode normalisation of `String`. Floating-point numbers are compared by their bit
/// patterns, so NaN is equal to itself and −0 is not equal to 0. Predicates compare values by their meaning
/// instead; see ``FetchPredicate``.
public enum Value: Sendable {
    /// The value `nil`.
    case null
    /// `true` or `false`. Predicates compare it with numbers as 1 or 0.
    case boolean(Bool)
    /// An integer of 16, 32 or 64 bits, depending on the attribute's type.
    case integer(Int64)
    /// A floating-point number of 64 bits.
    case double(Double)
    /// A floating-point number of 32 bits.
    case float(Float)
    /// A decimal number with up to 38 significant digits.
    case decimal(Decimal)
    /// Text, which is compared by its UTF-8 bytes.
    case string(String)
    /// A date, which is compared by its seconds since 2001-01-01 00:00 UTC.
    case date(Date)
    /// Bytes of a binary attribute.
    case binary(Data)
    /// A UUID.
    case uuid(UUID)
    /// A URL, which is compared by its absolute string.
    case uri(URL)
    /// The archived form of a transformable value.
    case transformable(Data)
    /// The elements of a composite by name. Elements that are `nil` are left out.
    case composite([String: Value])
    /// The ID of an object, which is the value of a to-one relationship.
    case objectID(ObjectID)

    /// Whether the value is `nil`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Value: Hashable {
    /// Returns whether a store saves the same bytes for both values. Values of different cases are never
    /// equal; for example, the integer 1 is not equal to the double 1.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.decimal(let a), .decimal(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.hasSameBytes(as: b.utf8)
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.bitPattern
                == b.timeIntervalSinceReferenceDate.bitPattern
        case (.binary(let a), .binary(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.uri(let a), .uri(let b)):
            a.absoluteString.utf8.hasSameBytes(as: b.absoluteString.utf8)
        case (.transformable(let a), .transformable(let b)): a == b
        case (.composite(let a), .composite(let b)): a == b
        case (.objectID(let a), .objectID(let b)): a == b
        default: false
        }
    }

    /// Hashes the same parts that `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .float(let value): hasher.combine(value.bitPattern)
        case .decimal(let value): hasher.combine(value)
        case .string(var value):
            value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
        case .binary(let value), .transformable(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .uri(let value): hasher.combine(value.absoluteString)
        case .composite(let value): hasher.combine(value)
        case .objectID(let value): hasher.combine(value)
        }
    }
}

extension Value {
    /// The value by which a group is found: the same for all values that predicates regard as equal.
    package var ofGroup: Value {
        switch self {
        case .double(let value): .double(Self.canonical(value))
        case .float(let value): .float(Self.canonical(value))
        case .date(let value):
            .date(
                Date(
                    timeIntervalSinceReferenceDate: Self.canonical(
                        value.timeIntervalSinceReferenceDate)))
        default: self
        }
    }

    /// Returns 0 for −0, and one NaN for all.
    private static func canonical<Number: BinaryFloatingPoint>(_ value: Number) -> Number {
        value.isNaN ? .nan : value + 0
    }
}

extension String.UTF8View {
    /// Compares whole blocks of memory, instead of one byte after the other.
    fileprivate func hasSameBytes(as other: Self) -> Bool {
        guard count == other.count else { return false }
        let isSame = withContiguousStorageIfAvailable { bytes in
            other.withContiguousStorageIfAvailable { others in
                guard let start = bytes.baseAddress, let otherStart = others.baseAddress else {
                    return true
                }
                return memcmp(start, otherStart, bytes.count) == 0
            }
        }
        return (isSame ?? nil) ?? elementsEqual(other)
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
    /// Creates a string from a literal such as `"text"`.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer from a literal such as `1`.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a Boolean from `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates a double from a literal such as `1.5`.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value {
    /// Returns whether an attribute of this type can store the value without conversion. `nil` always fits.
    ///
    /// Integers must be in the range of the type's width.
    package func fits(_ type: AttributeType) -> Bool {
        switch (self, type) {
        case (.null, _), (_, .undefined): true
        case (.boolean, .boolean), (.integer, .integer64), (.double, .double), (.float, .float),
            (.decimal, .decimal), (.string, .string), (.date, .date), (.binary, .binary),
            (.uuid, .uuid), (.uri, .uri), (.transformable, .transformable),
            (.composite, .composite), (.objectID, .objectID):
            true
        case (.integer(let value), .integer16): Int16(exactly: value) != nil
        case (.integer(let value), .integer32): Int32(exactly: value) != nil
        default: false
        }
    }
}

extension Value: CustomStringConvertible {
    /// The value as text. A string is returned unchanged. For binary data, only the number of bytes is
    /// returned.
    public var description: String {
        switch self {
        case .null: "nil"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value
        case .date(let value): ISO8601Date.description(value)
        case .binary(let value), .transformable(let value): "\(value.count) bytes"
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .composite(let elements):
            "{" + Self.sorted(elements).map { "\($0.key) = \($0.value)" }.joined(separator: "; ")
                + "}"
        case .objectID(let value): "\(value)"
        }
    }

    private static func sorted(_ elements: [String: Value]) -> [(key: String, value: Value)] {
        elements.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

extension Value: CustomDebugStringConvertible {
    /// The case and the value, such as `.integer(1)`, `.string("Blue")` or `.binary(12 bytes)`.
    public var debugDescription: String {
        switch self {
        case .null: ".null"
        case .boolean: ".boolean(\(self))"
        case .integer: ".integer(\(self))"
        case .double: ".double(\(self))"
        case .float: ".float(\(self))"
        case .decimal: ".decimal(\(self))"
        case .string(let value): ".string(\(value.debugDescription))"
        case .date: ".date(\(self))"
        case .binary: ".binary(\(self))"
        case .uuid: ".uuid(\(self))"
        case .uri: ".uri(\(self))"
        case .transformable: ".transformable(\(self))"
        case .composite(let elements):
            ".composite(["
                + Self.sorted(elements).map { "\($0.key): \($0.value.debugDescription)" }
                .joined(separator: ", ") + "])"
        case .objectID: ".objectID(\(self))"
        }
    }
}

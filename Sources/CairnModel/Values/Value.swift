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
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.bitPattern
                == b.timeIntervalSinceReferenceDate.bitPattern
        case (.binary(let a), .binary(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.uri(let a), .uri(let b)):
            a.absoluteString.utf8.elementsEqual(b.absoluteString.utf8)
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
        case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
        case .binary(let value), .transformable(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .uri(let value): hasher.combine(value.absoluteString)
        case .composite(let value): hasher.combine(value)
        case .objectID(let value): hasher.combine(value)
        }
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

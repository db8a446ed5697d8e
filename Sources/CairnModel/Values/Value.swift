import Foundation

/// The value of one attribute, or a constant of a predicate.
///
/// Equality and hash are those of what a store keeps: bytes for text (no Unicode normalisation,
/// unlike `String`), bit patterns for floating point (NaN equals itself, −0 differs from 0).
/// Predicates compare by meaning instead; see ``FetchPredicate``.
public enum Value: Sendable {
    /// nil.
    case null
    case boolean(Bool)
    /// An integer of 16, 32 or 64 bits; the attribute's type says which.
    case integer(Int64)
    case double(Double)
    case float(Float)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case binary(Data)
    case uuid(UUID)
    case uri(URL)
    /// The archived form of a transformable value.
    case transformable(Data)
    /// The elements of a composite by name; an element that is nil is absent.
    case composite([String: Value])
    /// The identity of an object; the value of a to-one relationship.
    case objectID(ObjectID)

    /// Whether the value is nil.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Value: Hashable {
    /// Whether a store would keep the same bytes for both. Values of different cases are never
    /// equal: the integer 1 is not the double 1.
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

    /// Hashes what `==` compares.
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
    /// `"text"` is a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// `1` is an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// `true` is a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// `1.5` is a double.
    public init(floatLiteral value: Double) { self = .double(value) }
}

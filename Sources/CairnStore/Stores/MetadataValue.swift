import Foundation

/// A value of a store's metadata or options. The cases are the types that a property list can
/// contain.
public enum MetadataValue: Sendable, Hashable, Codable {
    /// Text, which may be empty.
    case string(String)
    /// A signed integer of 64 bits.
    case integer(Int64)
    /// A floating-point number of 64 bits.
    case real(Double)
    /// A Boolean, which is not equal to the integer 0 or 1.
    case boolean(Bool)
    /// A point in time.
    case date(Date)
    /// Bytes of any length.
    case data(Data)
    /// An array of values, whose kinds may differ.
    case array([MetadataValue])
    /// A dictionary of values, whose kinds may differ.
    case dictionary([String: MetadataValue])
}

extension MetadataValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
    /// Creates a string value.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer value.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates a value that is a real number.
    public init(floatLiteral value: Double) { self = .real(value) }
}

import Foundation

/// A value of a store's metadata or options. The cases are the types that a property list can
/// contain.
public enum MetadataValue: Sendable, Hashable, Codable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case array([MetadataValue])
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

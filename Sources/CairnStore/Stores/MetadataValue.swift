import Foundation

/// A value that metadata and options can hold: what a property list can.
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
    /// `"text"` is a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// `1` is an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// `true` is a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// `1.5` is a real number.
    public init(floatLiteral value: Double) { self = .real(value) }
}

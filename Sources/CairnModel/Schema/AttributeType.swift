import Foundation

/// The type of an attribute's values.
///
/// Raw values are those of Core Data's `NSAttributeType`. They are part of the version hash and of
/// compiled models.
public enum AttributeType: Int32, Sendable, Hashable, CaseIterable, Codable {
    /// No declared type. Only transient attributes can have it.
    case undefined = 0
    /// A signed integer from −32,768 to 32,767.
    case integer16 = 100
    /// A signed integer from −2,147,483,648 to 2,147,483,647.
    case integer32 = 200
    /// A signed integer of 64 bits, the range of `Int64`.
    case integer64 = 300
    /// A `Decimal` with up to 38 significant digits.
    case decimal = 400
    /// A floating-point number of 64 bits.
    case double = 500
    /// A floating-point number of 32 bits.
    case float = 600
    /// Unicode text, which is compared without Unicode normalisation.
    case string = 700
    /// `true` or `false`. Predicates compare it with numbers as 1 or 0.
    case boolean = 800
    /// A date, stored as seconds since 2001-01-01 00:00 UTC.
    case date = 900
    /// Bytes that have no order. Stores may save large values in files next to the store; see
    /// ``AttributeDescription/allowsExternalBinaryDataStorage``.
    case binary = 1000
    /// A `UUID`, ordered by its 16 bytes.
    case uuid = 1100
    /// A `URL`, saved and compared as its absolute string.
    case uri = 1200
    /// Bytes that a registered value transformer produces.
    case transformable = 1800
    /// The ID of another object. Only transient attributes can have this type.
    case objectID = 2000
    /// A group of attributes that a ``CompositeDescription`` declares.
    case composite = 2100

    /// Whether values are integers of at most 64 bits.
    package var isInteger: Bool {
        self == .integer16 || self == .integer32 || self == .integer64
    }

    /// Whether values are numbers, which can be ordered and added.
    package var isNumeric: Bool {
        isInteger || self == .decimal || self == .double || self == .float
    }

    /// The name of the type in source models and in Xcode's model editor.
    package var sourceName: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "ObjectID"
        case .composite: "Composite"
        }
    }
}

extension AttributeType {
    /// Returns whether every value of this type can be converted to another type without loss.
    ///
    /// Numbers convert to types that represent all of their values exactly: wider integers, decimals, and
    /// floating-point types with enough bits. Booleans become 0 and 1. Integers, UUIDs and URIs become
    /// strings. Returns `false` if both types are the same.
    package func convertsLosslessly(to other: AttributeType) -> Bool {
        switch self {
        case .boolean:
            [.integer16, .integer32, .integer64, .decimal, .double, .float].contains(other)
        case .integer16:
            [.integer32, .integer64, .decimal, .double, .float, .string].contains(other)
        case .integer32: [.integer64, .decimal, .double, .string].contains(other)
        case .integer64: [.decimal, .string].contains(other)
        case .float: other == .double
        case .uuid, .uri: other == .string
        case .undefined, .decimal, .double, .string, .date, .binary, .transformable, .objectID,
            .composite:
            false
        }
    }
}

extension AttributeType {
    /// Returns a value of this type converted to another type, without loss. `.null` stays `.null`.
    ///
    /// Returns `nil` if `convertsLosslessly(to:)` is `false`, or if the value does not have this type.
    /// Booleans become 0 and 1, UUIDs upper-case strings, and URIs their absolute strings.
    public func convert(_ value: Value, to other: AttributeType) -> Value? {
        guard convertsLosslessly(to: other) else { return nil }
        return switch (value, other) {
        case (.null, _): .null
        case (.boolean(let it), _): Self.number(it ? 1 : 0, as: other)
        case (.integer(let it), .string): .string(String(it))
        case (.integer(let it), _): Self.number(it, as: other)
        case (.float(let it), .double): .double(Double(it))
        case (.uuid(let it), .string): .string(it.uuidString)
        case (.uri(let it), .string): .string(it.absoluteString)
        default: nil
        }
    }

    private static func number(_ value: Int64, as type: AttributeType) -> Value? {
        switch type {
        case .integer16, .integer32, .integer64: .integer(value)
        case .decimal: .decimal(Decimal(value))
        case .double: .double(Double(value))
        case .float: .float(Float(value))
        default: nil
        }
    }
}

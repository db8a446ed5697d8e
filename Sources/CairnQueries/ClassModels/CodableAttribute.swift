import CairnModel
import CairnObjects
import Foundation

/// A type whose values are stored as JSON in an attribute of type Binary Data.
///
/// ```swift
/// struct Address: CodableAttribute {
///     var street = "", town = ""
///     static var valueOfNil: Address { Address() }
/// }
///
/// final class Author: ManagedObject {
///     @Managed var address: Address?
///     @Managed var pseudonyms: [String]
/// }
/// ```
///
/// JSON keys are sorted, so equal values have equal bytes. Predicates cannot look into the value.
public protocol CodableAttribute: AttributeValue {}

extension CodableAttribute {
    /// The attribute types that hold this type: Binary Data.
    public static var _attributeTypes: [AttributeType] { [.binary] }

    /// Creates the value from JSON. Returns `nil` if the bytes are not JSON of this type.
    public init?(_attributeValue attributeValue: Value) {
        guard let value = CodableBytes.value(Self.self, attributeValue) else { return nil }
        self = value
    }

    /// The value as JSON.
    public var _attributeValue: Value { CodableBytes.bytes(self) }
}

extension Array: AttributeValue, ManagedProperty, _OptionalProperty where Element: AttributeValue {
    /// The attribute types that hold this type: Binary Data.
    public static var _attributeTypes: [AttributeType] { [.binary] }

    /// Whether `nil` is read as an empty array. Always `true`.
    public static var _readsNilAsZero: Bool { true }

    /// The value that `nil` is read as: an empty array.
    public static var valueOfNil: [Element] { [] }

    /// Creates the array from JSON. Returns `nil` if the bytes are not JSON of this type.
    public init?(_attributeValue attributeValue: Value) {
        guard let value = CodableBytes.value(Self.self, attributeValue) else { return nil }
        self = value
    }

    /// The elements as JSON.
    public var _attributeValue: Value { CodableBytes.bytes(self) }
}

/// A converter between values and JSON.
private enum CodableBytes {
    static func value<Content: Decodable>(_ type: Content.Type, _ value: Value) -> Content? {
        guard case .binary(let bytes) = value else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try? decoder.decode(type, from: bytes)
    }

    /// Returns the content as JSON. If encoding throws, returns a string instead. An attribute of type Binary
    /// Data refuses a string, so setting it is reported and changes nothing.
    static func bytes(_ content: some Encodable) -> Value {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return .binary(try encoder.encode(content))
        } catch {
            return .string("\(error)")
        }
    }
}

import CairnModel
import Foundation

/// A `Codable` type whose values are stored as JSON in attributes of type Binary Data.
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
/// Keys are sorted, so equal values have equal bytes. Predicates cannot look into the value.
public protocol CodableAttribute: AttributeValue, Codable {}

extension CodableAttribute {
    /// Attributes of type Binary Data.
    public static var attributeTypes: [AttributeType] { [.binary] }

    /// Decodes the value from JSON. Returns `nil` if the bytes cannot be decoded.
    public init?(attributeValue: Value) {
        guard let value = CodableBytes.value(Self.self, attributeValue) else { return nil }
        self = value
    }

    /// The value as JSON.
    public var attributeValue: Value { CodableBytes.bytes(self) }
}

extension Array: AttributeValue, ManagedProperty, OptionalProperty
where Element: AttributeValue & Codable {
    /// Attributes of type Binary Data.
    public static var attributeTypes: [AttributeType] { [.binary] }

    /// `true`: `nil` is read as an empty array.
    public static var readsNilAsZero: Bool { true }

    /// An empty array.
    public static var valueOfNil: [Element] { [] }

    /// Decodes the elements from JSON. Returns `nil` if the bytes cannot be decoded.
    public init?(attributeValue: Value) {
        guard let value = CodableBytes.value(Self.self, attributeValue) else { return nil }
        self = value
    }

    /// The elements as JSON.
    public var attributeValue: Value { CodableBytes.bytes(self) }
}

/// The encoding of values as JSON in attributes.
private enum CodableBytes {
    static func value<Content: Decodable>(_ type: Content.Type, _ value: Value) -> Content? {
        guard case .binary(let bytes) = value else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try? decoder.decode(type, from: bytes)
    }

    /// Returns the JSON. If encoding throws, returns a string instead. Setting an attribute of type Binary
    /// Data to a string fails, so the failure is reported and the attribute does not change.
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

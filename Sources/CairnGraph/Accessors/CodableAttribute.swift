import CairnModel
import Foundation

/// A value that an attribute of type Binary Data keeps as JSON.
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
/// Keys are sorted, so that equal values are equal bytes. Predicates do not look into the value.
public protocol CodableAttribute: AttributeValue, Codable {}

extension CodableAttribute {
    /// Attributes of type Binary Data.
    public static var attributeTypes: [AttributeType] { [.binary] }

    /// Reads the value from JSON. `nil` if the bytes are something else.
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

    /// Nil is read as no elements.
    public static var readsNilAsZero: Bool { true }

    /// No elements.
    public static var valueOfNil: [Element] { [] }

    /// Reads the elements from JSON. `nil` if the bytes are something else.
    public init?(attributeValue: Value) {
        guard let value = CodableBytes.value(Self.self, attributeValue) else { return nil }
        self = value
    }

    /// The elements as JSON.
    public var attributeValue: Value { CodableBytes.bytes(self) }
}

/// Values as JSON in an attribute.
private enum CodableBytes {
    static func value<Content: Decodable>(_ type: Content.Type, _ value: Value) -> Content? {
        guard case .binary(let bytes) = value else { return nil }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try? decoder.decode(type, from: bytes)
    }

    /// Returns the JSON. If the content throws when it is encoded, returns a text, which no attribute of
    /// type Binary Data takes: setting it is reported, and changes nothing.
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

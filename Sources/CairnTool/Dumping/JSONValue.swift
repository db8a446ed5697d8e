import Cairn
import Foundation

/// A value in the tool's JSON output.
///
/// The format is the same on every engine. Numbers are JSON numbers in the shortest form that reads back as
/// the same number. Numbers that JSON does not have are `"nan"`, `"inf"` and `"-inf"`. Decimals, UUIDs and
/// URIs are strings. Dates have the form that ``DateOption`` chooses. By default, this is the ISO 8601 text
/// of ``ISO8601Date``, or a number if a date has no such text. Bytes are in base 64. Objects are
/// `"Entity/key"`.
enum JSONValue: Encodable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case float(Float)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value) where value.isFinite: try container.encode(value)
        case .double(let value): try container.encode("\(value)")
        case .float(let value) where value.isFinite: try container.encode(value)
        case .float(let value): try container.encode("\(value)")
        case .text(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}

extension JSONValue {
    /// Creates the JSON of an attribute's value, or of a to-one's destination, which is shown by its concrete
    /// entity.
    init(_ value: Value, model: ManagedObjectModel, dates: DateOption.Form = .iso8601) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .float(let value): self = .float(value)
        case .decimal(let value): self = .text(value.description)
        case .string(let value): self = .text(value)
        case .date(let value):
            let seconds = value.timeIntervalSinceReferenceDate
            let text = dates == .raw ? nil : ISO8601Date.text(ofSeconds: seconds)
            self = text.map(JSONValue.text) ?? .double(seconds)
        case .binary(let value), .transformable(let value):
            self = .text(value.base64EncodedString())
        case .uuid(let value): self = .text(value.uuidString)
        case .uri(let value): self = .text(value.absoluteString)
        case .composite(let elements):
            self = .object(elements.mapValues { JSONValue($0, model: model, dates: dates) })
        case .objectID(let id): self = .text(id.shortName(in: model))
        }
    }
}

extension ObjectID {
    /// Returns `Entity/key`, the tool's name for an object within one store.
    func shortName(in model: ManagedObjectModel) -> String {
        "\(model.entity(numbered: entity)?.name ?? "?")/\(key)"
    }
}

extension JSONEncoder {
    /// Returns the encoder for all of the tool's JSON. Keys are sorted, so equal content has equal bytes.
    static func forTool(pretty: Bool) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return encoder
    }
}

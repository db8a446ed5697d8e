import Cairn
import Foundation

/// A value in the tool's JSON.
///
/// The form is the same for all engines. Numbers are JSON numbers in the shortest form that reads back equal,
/// or `"nan"`, `"inf"` or `"-inf"` if JSON cannot represent them. Decimals, UUIDs and URIs are strings. Dates
/// are written as ``DateOption`` says: by default as the ISO 8601 text of ``LosslessDate``, or as a number if
/// a date has no such text. Bytes are in base 64. Objects are `"Entity/key"`.
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
    /// Creates the JSON for an attribute's value, or for the destination of a to-one relationship, with the
    /// destination's concrete entity.
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
            let text = dates == .raw ? nil : LosslessDate.text(ofSeconds: seconds)
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
    /// Returns `Entity/key`, the tool's name for an object in a store.
    func shortName(in model: ManagedObjectModel) -> String {
        "\(model.entity(numbered: entity)?.name ?? "?")/\(key)"
    }
}

extension JSONEncoder {
    /// The encoder for all JSON of the tool. It sorts keys, so equal content has equal bytes.
    static func forTool(pretty: Bool) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return encoder
    }
}

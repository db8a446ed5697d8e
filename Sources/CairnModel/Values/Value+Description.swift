import Foundation

extension Value: CustomStringConvertible {
    /// The value as text. A string is returned unchanged. For binary data, only the number of bytes is
    /// returned.
    public var description: String {
        switch self {
        case .null: "nil"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value
        case .date(let value): ISO8601Date.description(value)
        case .binary(let value), .transformable(let value): "\(value.count) bytes"
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .composite(let elements):
            "{" + Self.sorted(elements).map { "\($0.key) = \($0.value)" }.joined(separator: "; ")
                + "}"
        case .objectID(let value): "\(value)"
        }
    }

    private static func sorted(_ elements: [String: Value]) -> [(key: String, value: Value)] {
        elements.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

extension Value: CustomDebugStringConvertible {
    /// The case and the value, such as `.integer(1)`, `.string("Blue")` or `.binary(12 bytes)`.
    public var debugDescription: String {
        switch self {
        case .null: ".null"
        case .boolean: ".boolean(\(self))"
        case .integer: ".integer(\(self))"
        case .double: ".double(\(self))"
        case .float: ".float(\(self))"
        case .decimal: ".decimal(\(self))"
        case .string(let value): ".string(\(value.debugDescription))"
        case .date: ".date(\(self))"
        case .binary: ".binary(\(self))"
        case .uuid: ".uuid(\(self))"
        case .uri: ".uri(\(self))"
        case .transformable: ".transformable(\(self))"
        case .composite(let elements):
            ".composite(["
                + Self.sorted(elements).map { "\($0.key): \($0.value.debugDescription)" }
                .joined(separator: ", ") + "])"
        case .objectID: ".objectID(\(self))"
        }
    }
}

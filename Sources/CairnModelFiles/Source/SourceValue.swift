import CairnModel
import Foundation

/// Converts default values and bounds from and to their text in source models.
enum SourceValue {
    /// Returns the value, or `nil` if the text does not represent a value of the type. Integers that are too
    /// wide for the type are truncated, as `NSNumber` does.
    static func value(_ text: String, as type: AttributeType) -> Value? {
        switch type {
        case .integer16: integer(text).map { .integer(Int64(Int16(truncatingIfNeeded: $0))) }
        case .integer32: integer(text).map { .integer(Int64(Int32(truncatingIfNeeded: $0))) }
        case .integer64: integer(text).map(Value.integer)
        case .decimal: Decimal(string: text).map(Value.decimal)
        case .double: Double(text).map(Value.double)
        case .float: Float(text).map(Value.float)
        case .string: .string(text)
        case .boolean: XMLElement.truth(text).map(Value.boolean)
        case .date: date(text).map(Value.date)
        case .uuid: UUID(uuidString: text).map(Value.uuid)
        case .uri: URL(string: text).map(Value.uri)
        case .undefined, .binary, .transformable, .objectID, .composite: nil
        }
    }

    /// Also accepts text such as `0.0`, which Xcode leaves in attributes that previously had a different
    /// type.
    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }

    /// Reads a date such as `2013-04-23 12:00:00 +0000`. Newer versions of Xcode also write it in seconds.
    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for format in ["yyyy-MM-dd HH:mm:ss Z", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd"] {
            formatter.dateFormat = format
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }

    /// Returns the text for a value, or `nil` if source models cannot represent the value.
    static func text(_ value: Value) -> String? {
        switch value {
        case .boolean(let value): value ? "YES" : "NO"
        case .integer(let value): String(value)
        case .double(let value): String(value)
        case .float(let value): String(value)
        case .decimal(let value): value.description
        case .string(let value): value
        case .date(let value): text(value)
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .null, .binary, .transformable, .composite, .objectID: nil
        }
    }

    private static func text(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
        return formatter.string(from: date)
    }
}

extension AttributeType {
    init?(sourceName: String) {
        guard let type = Self.allCases.first(where: { $0.sourceName == sourceName }) else {
            return nil
        }
        self = type
    }
}

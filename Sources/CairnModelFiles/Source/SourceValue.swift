import CairnModel
import Foundation

/// Converts default values and bounds from and to their text in source models.
enum SourceValue {
    /// Returns the value, or `nil` if the text does not represent a value of the type.
    ///
    /// Xcode keeps the text of a default value when the type of its attribute is changed. As in Xcode's
    /// compiler, `NO` and `YES` are therefore the numbers 0 and 1, and a number is a Boolean. Integers that
    /// are too wide for the type are truncated, as `NSNumber` does.
    static func value(_ text: String, as type: AttributeType) -> Value? {
        if type == .string { return .string(text) }
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return switch type {
        case .integer16: integer(text).map { .integer(Int64(Int16(truncatingIfNeeded: $0))) }
        case .integer32: integer(text).map { .integer(Int64(Int32(truncatingIfNeeded: $0))) }
        case .integer64: integer(text).map(Value.integer)
        case .decimal: decimal(text).map(Value.decimal)
        case .double: number(text).map(Value.double)
        case .float: number(text).map(Value.float)
        case .boolean: finite(text).map { .boolean($0 != 0) }
        case .date: date(text).map(Value.date)
        case .uuid: UUID(uuidString: text).map(Value.uuid)
        case .uri: URL(string: text).map(Value.uri)
        case .string, .undefined, .binary, .transformable, .objectID, .composite: nil
        }
    }

    private static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ text: String
    ) -> Number? {
        if let truth = XMLElement.truth(text) { return truth ? 1 : 0 }
        guard let number = Number(text) else { return nil }
        // Swift makes infinity of a number that is too large.
        return number.isInfinite && text.contains(where: \.isNumber) ? nil : number
    }

    private static func finite(_ text: String) -> Double? {
        number(text).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? finite(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }

    /// Foundation reads a decimal from the beginning of any text, so the whole text is checked first.
    private static func decimal(_ text: String) -> Decimal? {
        if let truth = XMLElement.truth(text) { return truth ? 1 : 0 }
        let digits = text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
        guard digits, Double(text) != nil else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// Reads a date such as `2013-04-23 12:00:00 +0000`. Newer versions of Xcode also write it in seconds.
    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for format in dateFormats {
            formatter.dateFormat = format
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }

    private static let dateFormats = [
        "yyyy-MM-dd HH:mm:ss Z", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy-MM-dd",
        "yyyy-MM-dd'T'HH:mm:ssZZZZZ",
    ]

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

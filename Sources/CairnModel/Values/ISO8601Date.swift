import Foundation

/// Dates in ISO 8601.
package enum ISO8601Date {
    private static let format = Date.ISO8601FormatStyle(timeZone: .gmt)
    /// From 15 October 1582, the first day of the Gregorian calendar, to the year 9999, in seconds since 2001.
    /// Foundation formats earlier dates in the Julian calendar, which ISO 8601 does not have.
    private static let range = -13_197_600_000.0..<252_423_993_600.0

    /// Returns the date as text: `2026-11-26T04:42:29.25Z`. Returns `nil` if the text would stand for
    /// another date, as it would before 15 October 1582, after the year 9999, and for fractions of less than a
    /// billionth of a second.
    package static func text(_ date: Date) -> String? {
        text(ofSeconds: date.timeIntervalSinceReferenceDate)
    }

    /// Returns the date that is a number of seconds after 2001-01-01 00:00 UTC as text, as ``text(_:)`` does.
    package static func text(ofSeconds seconds: Double) -> String? {
        guard range.contains(seconds) else { return nil }
        let text = text(ofSeconds: seconds, digits: 9)
        let read = date(text)?.timeIntervalSinceReferenceDate
        return read?.bitPattern == seconds.bitPattern ? text : nil
    }

    /// Returns the date as text, rounded to a millionth of a second. Returns `nil` before 15 October 1582 and
    /// after the year 9999.
    package static func roundedText(_ date: Date) -> String? {
        let seconds = (date.timeIntervalSinceReferenceDate * 1e6).rounded() / 1e6
        return range.contains(seconds) ? text(ofSeconds: seconds, digits: 6) : nil
    }

    /// Returns a date within the range as text with up to `digits` digits after the decimal point.
    private static func text(ofSeconds seconds: Double, digits count: Int) -> String {
        let whole = seconds.rounded(.down)
        var text = Date(timeIntervalSinceReferenceDate: whole).formatted(format)
        let fraction = Int(((seconds - whole) * pow(10, Double(count))).rounded())
        if fraction > 0 {
            let digits = String(fraction)
            let padded = String(repeating: "0", count: max(0, count - digits.count)) + digits
            text.removeLast()
            text += ".\(padded.trimmedZeros)Z"
        }
        return text
    }

    /// Returns the date as Foundation describes it. Foundation traps for dates that no calendar has, such as
    /// not-a-number, so a date outside of the range is described by its seconds.
    package static func description(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        return range.contains(seconds) ? "\(date)" : "\(seconds) seconds since 2001"
    }

    /// Returns the date that a string represents, or `nil` if the string is not a date in ISO 8601.
    package static func date(_ text: String) -> Date? {
        guard let point = text.firstIndex(of: ".") else { return try? format.parse(text) }
        let digits: Substring = text[text.index(after: point)...].prefix(while: \.isDigit)
        let zone: Substring = text[digits.endIndex...]
        guard !digits.isEmpty, let fraction = Double("0.\(digits)"),
            let whole = try? format.parse(String(text[..<point] + zone))
        else { return nil }
        return Date(
            timeIntervalSinceReferenceDate: whole.timeIntervalSinceReferenceDate + fraction)
    }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

extension String {
    fileprivate var trimmedZeros: Substring {
        guard let last = lastIndex(where: { $0 != "0" }) else { return "0" }
        return self[...last]
    }
}

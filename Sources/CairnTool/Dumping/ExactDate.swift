/// Writes a date as ISO 8601 text, such as `2026-11-16T18:59:00.25Z`, that keeps the stored number to
/// the last bit.
///
/// The whole seconds become year, month, day, hour, minute and second (in UTC, by the Gregorian
/// calendar for all years). The fraction has as many digits as the shortest decimal form of the stored
/// number. So the seconds from 2001-01-01T00:00:00Z to the text, as a decimal number, are nearer to the
/// stored `Double` than to any other.
enum ExactDate {
    private static let secondsOfDay: Int64 = 86_400
    /// From 0000-01-01 to 2001-01-01.
    private static let daysBefore2001: Int64 = 730_851
    /// From 0000-01-01T00:00:00Z up to 10000-01-01T00:00:00Z.
    private static let range = -63_145_526_400.0..<252_423_993_600.0

    /// Returns the text of a number of seconds since 2001-01-01 00:00 UTC.
    ///
    /// Returns `nil` for the few numbers without such a text: those outside of the years 0000 to 9999,
    /// negative zero, NaN, infinities, and those that are nearer than 0.0001 seconds to 2001 and not 0.
    static func text(of seconds: Double) -> String? {
        guard range.contains(seconds), !(seconds == 0 && seconds.sign == .minus) else { return nil }
        // Swift's description is the shortest decimal form that reads back as the same number.
        let parts = seconds.magnitude.description.split(separator: ".")
        guard parts.count == 2, let magnitude = Int64(parts[0]),
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        var fraction = parts[1] == "0" ? "" : String(parts[1])
        var whole = seconds < 0 ? -magnitude : magnitude
        if seconds < 0, !fraction.isEmpty {
            whole -= 1
            fraction = complement(of: fraction)
        }
        return text(ofWhole: whole) + (fraction.isEmpty ? "" : "." + fraction) + "Z"
    }

    /// Returns the digits of 1 minus a fraction, whose last digit is not 0.
    private static func complement(of digits: String) -> String {
        let last = digits.utf8.count - 1
        let bytes = digits.utf8.enumerated().map { index, digit in
            (index == last ? 0x3A : 0x39) - digit + 0x30
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func text(ofWhole seconds: Int64) -> String {
        let day = Int64((Double(seconds) / Double(secondsOfDay)).rounded(.down))
        let time = seconds - day * secondsOfDay
        let (year, month, dayOfMonth) = date(ofDay: day + daysBefore2001)
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T"
            + padded(time / 3600, 2) + ":" + padded(time / 60 % 60, 2) + ":"
            + padded(time % 60, 2)
    }

    /// Returns the date that is a number of days after 0000-01-01; not negative.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Years that begin on 1 March end with the leap day, so the months before it are regular.
        // 0000-03-01 is 60 days after 0000-01-01; 400 years have 146,097 days.
        let shifted = day - 60 + 146_097
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

import Cairn
import Foundation

extension Value {
    /// The value on one line, in the format of a graph's text.
    var graphText: String {
        switch self {
        case .string(let text): text.debugDescription
        case .date(let date): date.graphText
        case .binary(let data), .transformable(let data): data.graphText
        case .composite(let elements):
            "("
                + elements.sorted { $0.key.compared(to: $1.key) == .before }
                .map { "\($0.key): \($0.value.graphText)" }.joined(separator: ", ") + ")"
        default: description
        }
    }
}

extension Date {
    /// ISO 8601 in UTC. The fraction has as many digits as needed, but at most six. Dates that are more than
    /// 200,000 years away, and dates that are not numbers, are written as their time interval.
    fileprivate var graphText: String {
        let interval = timeIntervalSinceReferenceDate
        guard abs(interval) < 6.4e12 else { return "\(interval) s after 2001-01-01T00:00:00Z" }
        let microseconds = Int((interval * 1_000_000).rounded())
        let (seconds, fraction) = microseconds.dividedDown(by: 1_000_000)
        let (days, secondOfDay) = seconds.dividedDown(by: 86_400)
        let (year, month, day) = Self.civil(daysAfter2001: days)
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60]
            .map { $0.padded(to: 2) }.joined(separator: ":")
        var digits = fraction == 0 ? "" : "." + fraction.padded(to: 6)
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))T\(time)\(digits)Z"
    }

    /// Returns the Gregorian date of a day. The calculation uses eras of 400 years that begin on the first of
    /// March, so that a leap day is the last day of its year (H. Hinnant, “chrono-Compatible Low-Level Date
    /// Algorithms”).
    private static func civil(daysAfter2001 days: Int) -> (year: Int, month: Int, day: Int) {
        // The number of days from 0000-03-01 to 2001-01-01.
        let (era, dayOfEra) = (days + 730_791).dividedDown(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Data {
    /// The number of bytes, and a hash (FNV-1a with 64 bits, folded to 32).
    fileprivate var graphText: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in self { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash >> 32 ^ hash & 0xffff_ffff, radix: 16)
        let padding = String(repeating: "0", count: 8 - digits.count)
        return "\(count) \(count == 1 ? "byte" : "bytes") (\(padding)\(digits))"
    }
}

extension Int {
    /// Returns the quotient, rounded down, and the remainder, which is never negative.
    fileprivate func dividedDown(by divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// Returns the number with at least the given number of digits.
    fileprivate func padded(to count: Int) -> String {
        let digits = String(magnitude)
        let zeros = String(repeating: "0", count: Swift.max(0, count - digits.count))
        return (self < 0 ? "-" : "") + zeros + digits
    }
}

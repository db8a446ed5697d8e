import Foundation
import Testing

/// A reader of dates that works as the tool's documentation recommends: the whole seconds since 2001 and the
/// fractional digits, together as one decimal number.
enum ISOReading {
    /// Returns the seconds since 2001. Counts the days year by year and month by month.
    static func seconds(of text: String) throws -> Double {
        let parts = try #require(
            text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?Z/)?.output)
        let fields = [parts.1, parts.2, parts.3, parts.4, parts.5, parts.6].compactMap { Int($0) }
        func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        var days = fields[2] - 1
        for year in min(2001, fields[0])..<max(2001, fields[0]) {
            days += (fields[0] < 2001 ? -1 : 1) * (isLeap(year) ? 366 : 365)
        }
        let months = [31, isLeap(fields[0]) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        days += months[..<(fields[1] - 1)].reduce(0, +)
        let whole = days * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5]
        let fraction = try #require(Decimal(string: "0" + (parts.7 ?? ".0")))
        return try #require(Double("\(Decimal(whole) + fraction)"))
    }
}

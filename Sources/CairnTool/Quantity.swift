import Foundation

/// Formats amounts as readable text.
enum Quantity {
    /// A count with commas between thousands: `10,000`.
    static func count(_ count: Int) -> String {
        let digits = String(count.magnitude)
        var groups: [Substring] = []
        var rest = digits[...]
        while rest.count > 3 {
            groups.append(rest.suffix(3))
            rest = rest.dropLast(3)
        }
        return (count < 0 ? "-" : "") + ([rest] + groups.reversed()).joined(separator: ",")
    }

    /// A count with a noun: `1 object`, `2 objects`.
    static func count(_ count: Int, _ thing: String, _ things: String? = nil) -> String {
        "\(self.count(count)) \(count == 1 ? thing : things ?? thing + "s")"
    }

    /// A number of bytes in the largest unit that fits: `1.2 MB`.
    static func bytes(_ count: Int) -> String {
        ByteCountFormatStyle(style: .file, locale: Locale(identifier: "en_US_POSIX"))
            .format(Int64(count))
    }
}

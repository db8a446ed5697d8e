import Foundation

/// The display formats of quantities.
enum Quantity {
    /// Returns a count with commas between groups of thousands: `10,000`.
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

    /// Returns a count followed by its noun: `1 object`, `2 objects`.
    static func count(_ count: Int, _ thing: String, _ things: String? = nil) -> String {
        "\(self.count(count)) \(count == 1 ? thing : things ?? thing + "s")"
    }

    /// Returns a count without commas, followed by its noun: `10000 objects`.
    static func plainCount(_ count: Int, _ thing: String) -> String {
        "\(count) \(thing)\(count == 1 ? "" : "s")"
    }

    /// Returns a number of bytes in the largest suitable unit: `1.2 MB`.
    static func bytes(_ count: Int) -> String {
        ByteCountFormatStyle(style: .file, locale: Locale(identifier: "en_US_POSIX"))
            .format(Int64(count))
    }
}

import Foundation

/// Formats numbers for display.
package enum Format {
    /// Returns a time with three digits in a suitable unit: `0.34 ns`, `87.2 ns`, `2.11 µs`.
    package static func time(nanoseconds: Double) -> String {
        let units: [(Double, String)] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")]
        let (size, name) = units.first { abs(nanoseconds) >= $0.0 } ?? (1, "ns")
        return "\(digits(nanoseconds / size)) \(name)"
    }

    /// Returns a ratio with two decimals, one decimal from 10, and none from 100.
    package static func ratio(_ value: Double) -> String {
        if value >= 100 { return whole(value) }
        return String(format: value >= 10 ? "%.1f" : "%.2f", value)
    }

    /// Returns a multiple with at least two digits, in thousands from 10,000: `1.4×`, `31×`, `2,210×`, `23k×`.
    package static func multiple(_ value: Double) -> String {
        if value >= 9_999.5 { return "\(whole(value / 1_000))k×" }
        return value >= 9.95 ? "\(whole(value))×" : String(format: "%.1f×", value)
    }

    /// Returns a number of bytes in a suitable unit.
    package static func bytes(_ count: Double) -> String {
        let units: [(Double, String)] = [
            (1_073_741_824, "GB"), (1_048_576, "MB"), (1024, "KB"),
        ]
        guard let (size, name) = units.first(where: { count >= $0.0 }) else {
            return "\(whole(count)) B"
        }
        return "\(digits(count / size)) \(name)"
    }

    /// Returns a number without decimals, with separated thousands.
    package static func whole(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        var text = String(Int(value.rounded()).magnitude)
        var offset = text.count - 3
        while offset > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: offset))
            offset -= 3
        }
        return (value.rounded() < 0 ? "-" : "") + text
    }

    /// Returns a relative spread, such as `±3 %`.
    package static func spread(_ value: Double) -> String {
        String(format: "±%.0f %%", value * 100)
    }

    private static func digits(_ value: Double) -> String {
        let format = abs(value) >= 100 ? "%.0f" : abs(value) >= 10 ? "%.1f" : "%.2f"
        return String(format: format, value)
    }
}

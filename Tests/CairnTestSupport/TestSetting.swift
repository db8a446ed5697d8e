import Foundation

/// Settings for tests, read from environment variables.
public enum TestSetting {
    /// How many times as long as usual random tests run: `CAIRN_TEST_SCALE`, or 1. `script/verify --long`
    /// sets 10.
    public static var scale: Int { max(number("CAIRN_TEST_SCALE") ?? 1, 1) }

    /// Whether tests that try a sample try everything: if random tests run ten times as long.
    public static var isLong: Bool { scale >= 10 }

    /// Returns a variable's value as a number, or `nil` if the variable is not set or is not a number.
    public static func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
        text(name).flatMap { Number($0) }
    }

    /// Returns a variable's text, or `nil` if the variable is not set or is empty.
    public static func text(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

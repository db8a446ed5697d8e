import Foundation

/// Settings for tests, read from environment variables.
public enum TestSetting {
    /// Returns a variable's value as a number, or `nil` if the variable is not set or is not a number.
    public static func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
        text(name).flatMap { Number($0) }
    }

    /// Returns a variable's text, or `nil` if the variable is not set or is empty.
    public static func text(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

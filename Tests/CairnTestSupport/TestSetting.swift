import Foundation

/// What variables of the environment ask of tests.
public enum TestSetting {
    /// Returns a variable's number; nil where it is not set, or is no number.
    public static func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
        text(name).flatMap { Number($0) }
    }

    /// Returns a variable's text. Returns `nil` if the variable is not set, or is empty.
    public static func text(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

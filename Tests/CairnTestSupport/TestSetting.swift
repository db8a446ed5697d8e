import Foundation

/// What variables of the environment ask of tests.
public enum TestSetting {
    /// Returns a variable's number. Returns `nil` if it is not set, or is not a number.
    public static func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
        ProcessInfo.processInfo.environment[name].flatMap { Number($0) }
    }
}

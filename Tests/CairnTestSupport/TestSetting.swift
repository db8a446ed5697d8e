import Foundation

/// What variables of the environment ask of tests.
public enum TestSetting {
    /// Returns a variable's number; nil where it is not set, or is no number.
    public static func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
        ProcessInfo.processInfo.environment[name].flatMap { Number($0) }
    }
}

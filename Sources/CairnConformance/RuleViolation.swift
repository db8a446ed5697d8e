import CairnStore

/// An error that describes a promise of the contract that an engine broke.
public struct RuleViolation: Error, Sendable, CustomStringConvertible {
    /// The rule's ``ConformanceRule/description``. Empty until the rule has ended.
    public var rule: String
    /// The expected result and the actual one.
    public var detail: String
    /// The source location of the failed check.
    package var check: RuleLocation
    /// The source location of the rule. `nil` until the rule has ended.
    package var ruleLocation: RuleLocation?
    /// The last calls that the rule made to the engine before it failed, in the order of the calls, each
    /// with its result.
    package var steps: [String] = []
    /// The seed for repeating the rule. `nil` until the rule has ended.
    public var seed: UInt64?

    /// Creates a violation. Rules do not pass `rule`, which ``ConformanceRule/run(on:seed:)`` fills in.
    package init(
        rule: String = "", detail: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.rule = rule
        self.detail = detail
        check = RuleLocation(file: "\(file)", line: Int(line))
    }

    init(detail: String, at check: RuleLocation) {
        rule = ""
        self.detail = detail
        self.check = check
    }

    /// The rule, the failed check, the locations, the seed, and the last calls.
    public var description: String {
        var lines = ["“\(rule)” is broken: \(detail)", "    check: \(check)"]
        if let ruleLocation { lines.append("    rule: \(ruleLocation)") }
        if let seed { lines.append("    seed: \(seed)") }
        if !steps.isEmpty { lines.append("    the last calls before it failed:") }
        for step in steps { lines.append("      \(step)") }
        return lines.joined(separator: "\n")
    }
}

/// Throws an error if the condition is false.
///
/// - Parameters:
///   - condition: The condition that must be true.
///   - words: The expectation that the condition expresses.
///   - file: The source file of the check, which the violation names. Leave it out to use the caller's file.
///   - line: The line of the check in `file`. Leave it out to use the caller's line.
package func require(
    _ condition: Bool, _ words: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) throws(RuleViolation) {
    if !condition {
        throw RuleViolation(detail: "this is not true: \(words())", file: file, line: line)
    }
}

/// Throws an error if the two values differ. The error shows both values, shortened.
///
/// - Parameters:
///   - found: The value that the engine returned.
///   - expected: The value that it should have returned.
///   - words: A description of the value.
///   - file: The source file of the check, which the violation names. Leave it out to use the caller's file.
///   - line: The line of the check in `file`. Leave it out to use the caller's line.
package func requireEqual<T: Equatable>(
    _ found: T, _ expected: T, _ words: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) throws(RuleViolation) {
    guard found != expected else { return }
    throw RuleViolation(
        detail: "\(words()): found \(shortened(found)), expected \(shortened(expected))",
        file: file, line: line)
}

/// Returns the value. Throws an error if it is `nil`.
package func requireValue<T>(
    _ value: T?, _ words: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) throws(RuleViolation) -> T {
    guard let value else {
        throw RuleViolation(detail: "this is missing: \(words())", file: file, line: line)
    }
    return value
}

/// Throws an error unless the body throws one of the expected errors.
///
/// - Parameters:
///   - words: The expectation.
///   - first: The expected error.
///   - others: Other errors that are also accepted.
///   - file: The source file of the check, which the violation names. Leave it out to use the caller's file.
///   - line: The line of the check in `file`. Leave it out to use the caller's line.
///   - body: The calls to the engine. Their result is ignored.
package func requireError<T>(
    _ words: @autoclosure () -> String, _ first: StoreErrorCase, _ others: StoreErrorCase...,
    file: StaticString = #fileID, line: UInt = #line, from body: () throws -> T
) throws(RuleViolation) {
    let expected = [first] + others
    let detail: String
    do {
        _ = try body()
        detail = "but no error was thrown"
    } catch let error as StoreError {
        if expected.contains(StoreErrorCase(error)) { return }
        detail = "but found: \(error)"
    } catch {
        detail = "but found an error of another type: \(error)"
    }
    throw RuleViolation(
        detail: "\(words()): expected \(expected.map(\.rawValue)), \(detail)", file: file,
        line: line)
}

private func shortened(_ value: some Any) -> String {
    let text = String(String(describing: value).unicodeScalars.prefix(300).map(Character.init))
    return text.count == 300 ? text + "…" : text
}

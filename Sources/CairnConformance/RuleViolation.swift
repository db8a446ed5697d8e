import CairnStore

/// A promise of the contract that an engine broke.
public struct RuleViolation: Error, Sendable, CustomStringConvertible {
    /// The rule, as ``ConformanceRule/description`` says it. Empty until the rule has ended.
    public var rule: String
    /// What should have been, and what was.
    public var detail: String
    /// The source location of the check that failed.
    public var check: RuleLocation
    /// The source location of the rule. `nil` until the rule has ended.
    public var ruleLocation: RuleLocation?
    /// The calls that the rule made to the engine before it failed, the last ones first to last, each
    /// with its result.
    public var steps: [String] = []
    /// The seed that repeats the rule. `nil` until the rule has ended.
    public var seed: UInt64?

    /// Creates a violation. Rules leave out `rule`, which ``ConformanceRule/run(on:seed:)`` fills in.
    public init(
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

    /// The rule, what broke it, where, with which seed, and what the rule did before.
    public var description: String {
        var lines = ["“\(rule)” is broken: \(detail)", "    check: \(check)"]
        if let ruleLocation { lines.append("    rule: \(ruleLocation)") }
        if let seed { lines.append("    seed: \(seed)") }
        if !steps.isEmpty { lines.append("    the last calls before it failed:") }
        for step in steps { lines.append("      \(step)") }
        return lines.joined(separator: "\n")
    }
}

/// Throws if the condition does not hold.
///
/// - Parameter words: what should have been.
public func require(
    _ condition: Bool, _ words: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) throws(RuleViolation) {
    if !condition { throw RuleViolation(detail: "not so: \(words())", file: file, line: line) }
}

/// Throws if the two values differ. The error shows both, shortened.
///
/// - Parameter words: what the value is.
public func requireEqual<T: Equatable>(
    _ found: T, _ expected: T, _ words: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) throws(RuleViolation) {
    guard found != expected else { return }
    throw RuleViolation(
        detail: "\(words()): found \(shortened(found)), expected \(shortened(expected))",
        file: file, line: line)
}

/// Returns the value. Throws if it is `nil`.
public func requireValue<T>(
    _ value: T?, _ words: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) throws(RuleViolation) -> T {
    guard let value else {
        throw RuleViolation(detail: "missing: \(words())", file: file, line: line)
    }
    return value
}

/// Throws unless the body ends with one of the errors.
///
/// - Parameters:
///   - words: what should have been.
///   - first: an error that is right.
///   - others: more errors that are right.
public func requireError<T>(
    _ words: @autoclosure () -> String, _ first: StoreErrorCase, _ others: StoreErrorCase...,
    file: StaticString = #fileID, line: UInt = #line, from body: () throws -> T
) throws(RuleViolation) {
    let expected = [first] + others
    let detail: String
    do {
        _ = try body()
        detail = "no error was thrown"
    } catch let error as StoreError {
        if expected.contains(StoreErrorCase(error)) { return }
        detail = "found: \(error)"
    } catch {
        detail = "found an error of another type: \(error)"
    }
    throw RuleViolation(
        detail: "\(words()): expected \(expected.map(\.rawValue)), \(detail)", file: file,
        line: line)
}

private func shortened(_ value: some Any) -> String {
    let text = String(String(describing: value).unicodeScalars.prefix(300).map(Character.init))
    return text.count == 300 ? text + "…" : text
}

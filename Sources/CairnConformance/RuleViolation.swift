import CairnStore

/// A promise of the contract that an engine broke.
public struct RuleViolation: Error, Sendable, CustomStringConvertible {
    /// The rule, as ``ConformanceRule/description`` says it; empty until the rule has ended.
    public var rule: String
    /// What should have been, and what was.
    public var detail: String

    /// - Parameter rule: left empty by rules: who runs them fills it in.
    public init(rule: String = "", detail: String) {
        self.rule = rule
        self.detail = detail
    }

    /// The rule and what broke it.
    public var description: String { "“\(rule)” is broken: \(detail)" }
}

/// Throws where the condition does not hold.
///
/// - Parameter words: what should have been.
public func require(
    _ condition: Bool, _ words: @autoclosure () -> String
) throws(RuleViolation) {
    if !condition { throw RuleViolation(detail: "not so: \(words())") }
}

/// Throws where the two differ; says both, shortened.
///
/// - Parameter words: what the value is.
public func requireEqual<T: Equatable>(
    _ found: T, _ expected: T, _ words: @autoclosure () -> String
) throws(RuleViolation) {
    guard found != expected else { return }
    throw RuleViolation(
        detail: "\(words()): found \(shortened(found)), expected \(shortened(expected))")
}

/// Returns the value, and throws where there is none.
public func requireValue<T>(
    _ value: T?, _ words: @autoclosure () -> String
) throws(RuleViolation) -> T {
    guard let value else { throw RuleViolation(detail: "missing: \(words())") }
    return value
}

/// Which ``StoreError`` a rule expects.
public enum StoreErrorCase: String, Sendable, Hashable {
    case notFound, folderMissing, notAStore, unrecognized, unknownType, modelMismatch
    case invalidOption, unsupported, readOnly
    case fileRemoved, fileReplaced, hardLinked
    case closed, busy, locked, rowConflicts, uniquenessConflicts, unsupportedValue, keysExhausted
    case corrupt, externalDataMissing, fileFailure, engineFailure, commitOutcomeUnknown
    case predicate, cancelled

    /// The case of an error.
    public init(_ error: StoreError) {
        self =
            switch error {
            case .notFound: .notFound
            case .folderMissing: .folderMissing
            case .notAStore: .notAStore
            case .unrecognized: .unrecognized
            case .unknownType: .unknownType
            case .modelMismatch: .modelMismatch
            case .invalidOption: .invalidOption
            case .unsupported: .unsupported
            case .readOnly: .readOnly
            case .closed: .closed
            case .busy: .busy
            case .locked: .locked
            case .fileRemoved: .fileRemoved
            case .fileReplaced: .fileReplaced
            case .hardLinked: .hardLinked
            case .rowConflicts: .rowConflicts
            case .uniquenessConflicts: .uniquenessConflicts
            case .unsupportedValue: .unsupportedValue
            case .keysExhausted: .keysExhausted
            case .corrupt: .corrupt
            case .predicate: .predicate
            case .cancelled: .cancelled
            case .externalDataMissing: .externalDataMissing
            case .fileFailure: .fileFailure
            case .engineFailure: .engineFailure
            case .commitOutcomeUnknown: .commitOutcomeUnknown
            }
    }
}

/// Throws unless the body ends with one of the errors.
///
/// - Parameters:
///   - words: what should have been.
///   - expected: the errors that are right; none given: any ``StoreError`` is.
public func requireError<T>(
    _ words: @autoclosure () -> String, _ expected: StoreErrorCase..., from body: () throws -> T
) throws(RuleViolation) {
    do {
        _ = try body()
    } catch let error as StoreError {
        let isRight = expected.isEmpty || expected.contains(StoreErrorCase(error))
        if isRight { return }
        throw RuleViolation(
            detail: "\(words()): expected \(expected.map(\.rawValue)), found: \(error)")
    } catch {
        throw RuleViolation(detail: "\(words()): found an error of another type: \(error)")
    }
    throw RuleViolation(
        detail: "\(words()): no error was thrown, expected \(expected.map(\.rawValue))")
}

private func shortened(_ value: some Any) -> String {
    let text = String(String(describing: value).unicodeScalars.prefix(300).map(Character.init))
    return text.count == 300 ? text + "…" : text
}

/// A promise of the store contract, and a test that checks whether an engine keeps it.
///
/// ```swift
/// ConformanceRule("a closed store throws .closed") { store in
///     try store.store.close()
///     try requireError("a snapshot is refused", .closed) { try store.store.snapshot() }
/// }
/// ```
///
/// A rule runs on a new, empty store of its own. It throws a ``RuleViolation`` if the engine breaks the
/// promise, so it works under any test framework, and without one. It throws `RuleNotApplicable` if the
/// engine does not have the feature that the promise is about.
public struct ConformanceRule: Sendable, CustomStringConvertible {
    /// The test of a rule.
    package typealias Body = @Sendable (StoreSubject) throws -> Void

    /// The name of the topic, such as `saving`. Empty for a rule that is not part of a
    /// `ConformanceTopic`.
    public internal(set) var topic = ""
    /// The promise, in the words of the contract.
    public let words: String
    /// The capability that the promise depends on. `nil` if every engine must keep the promise.
    package let need: CapabilityNeed?
    /// The promise of an engine without the capability. `nil` if `need` is `nil`.
    package let alternativePromise: String?
    /// The location of the rule in the source code.
    public let location: RuleLocation
    private let body: Body
    private let alternative: Body?

    /// Creates a rule that every engine must keep.
    package init(
        _ words: String, file: StaticString = #fileID, line: UInt = #line, body: @escaping Body
    ) {
        self.words = words
        need = nil
        alternativePromise = nil
        location = RuleLocation(file: "\(file)", line: Int(line))
        self.body = body
        alternative = nil
    }

    /// Creates a rule for engines with a capability, and its twin for engines without it. The twin tests
    /// what such engines promise instead, so that no engine skips the rule.
    package init(
        _ words: String, needs need: CapabilityNeed, alternative alternativePromise: String,
        file: StaticString = #fileID, line: UInt = #line, body: @escaping Body,
        otherwise: @escaping Body
    ) {
        self.words = words
        self.need = need
        self.alternativePromise = alternativePromise
        location = RuleLocation(file: "\(file)", line: Int(line))
        self.body = body
        self.alternative = otherwise
    }

    /// The topic and the promise.
    public var description: String { topic.isEmpty ? words : "\(topic): \(words)" }

    /// Tests the rule on a new store of the harness. Tests the rule's twin if the engine lacks the
    /// capability that the rule needs.
    ///
    /// - Parameters:
    ///   - harness: The harness of the engine under test.
    ///   - seed: The seed of all random values in the rule, to repeat an earlier run. If `nil`, a random seed
    ///     is chosen. A violation contains the seed.
    /// - Returns: Whether the rule or its twin was kept, or that the rule does not apply to the engine.
    /// - Throws: ``RuleViolation``, also for every other error that the rule throws.
    @discardableResult
    public func run(
        on harness: any StoreHarness, seed: UInt64? = nil
    ) throws(RuleViolation) -> RuleOutcome {
        let seed = seed ?? .random(in: 0 ... .max)
        let isAlternative = need.map { !$0.isMet(by: harness.engine) } ?? false
        let log = StepLog()
        let steps: [String]
        let failure: any Error
        do {
            let subject = try StoreSubject(harness, seed: seed, log: log)
            do {
                if isAlternative { try alternative?(subject) } else { try body(subject) }
            } catch {
                // The steps are read before the store is closed, because closing it is not part of the
                // rule.
                let steps = log.lastSteps
                try? subject.end()
                throw FailedRule(steps: steps, reason: error)
            }
            try subject.end()
            return isAlternative ? .alternativeKept : .kept
        } catch let rule as FailedRule {
            (steps, failure) = (rule.steps, rule.reason)
        } catch {
            (steps, failure) = ([], error)
        }
        if let exception = failure as? RuleNotApplicable {
            return .notApplicable(exception.reason)
        }
        var violation =
            failure as? RuleViolation
            ?? RuleViolation(detail: "the rule ended with the error: \(failure)", at: location)
        violation.rule = description
        violation.ruleLocation = location
        violation.seed = seed
        violation.steps = steps
        throw violation
    }
}

/// The error that ended a rule's body, with the calls that the body made before.
private struct FailedRule: Error {
    let steps: [String]
    let reason: any Error
}

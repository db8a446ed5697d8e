import CairnStore

/// One promise of the store contract, and what proves that an engine keeps it.
///
/// ```swift
/// ConformanceRule("a store that was closed throws .closed") { store in
///     try store.store.close()
///     try requireError("a snapshot is refused", .closed) { try store.store.snapshot() }
/// }
/// ```
///
/// A rule runs against a new, empty store of its own. It throws a ``RuleViolation`` if the engine
/// breaks the promise, so it works under any test framework, and without one. It throws
/// ``RuleNotApplicable`` if the engine does not have what the promise is about.
public struct ConformanceRule: Sendable, CustomStringConvertible {
    /// What proves a rule.
    public typealias Body = @Sendable (StoreSubject) throws -> Void

    /// The topic's name, such as `saving`. Empty for a rule outside of ``ConformanceTopic``.
    public internal(set) var topic = ""
    /// The promise, in the words of the contract.
    public let words: String
    /// The capability that the promise depends on. `nil` if every engine keeps the promise.
    public let need: CapabilityNeed?
    /// What an engine without that capability promises instead. `nil` if `need` is `nil`.
    public let twinWords: String?
    /// The location of the rule in the source.
    public let location: RuleLocation
    private let body: Body
    private let twin: Body?

    /// Creates a rule that every engine keeps.
    public init(
        _ words: String, file: StaticString = #fileID, line: UInt = #line, body: @escaping Body
    ) {
        self.words = words
        need = nil
        twinWords = nil
        location = RuleLocation(file: "\(file)", line: Int(line))
        self.body = body
        twin = nil
    }

    /// Creates a rule of engines with a capability, and its twin for those without: what they
    /// promise instead is proved too, so that nothing is skipped.
    public init(
        _ words: String, needs need: CapabilityNeed, twin twinWords: String,
        file: StaticString = #fileID, line: UInt = #line, body: @escaping Body,
        otherwise: @escaping Body
    ) {
        self.words = words
        self.need = need
        self.twinWords = twinWords
        location = RuleLocation(file: "\(file)", line: Int(line))
        self.body = body
        self.twin = otherwise
    }

    /// The topic and the promise.
    public var description: String { topic.isEmpty ? words : "\(topic): \(words)" }

    /// Proves the rule on a new store of the harness, or its twin if the engine lacks what the rule
    /// needs.
    ///
    /// - Parameter seed: makes everything random in the rule the same as in an earlier run. `nil`
    ///   chooses another one each time; a violation names it.
    /// - Returns: which of the two was proved, or that the rule says nothing about the engine.
    /// - Throws: ``RuleViolation``, for every other error that comes out of the rule.
    @discardableResult
    public func run(
        on harness: any StoreHarness, seed: UInt64? = nil
    ) throws(RuleViolation) -> RuleOutcome {
        let seed = seed ?? .random(in: 0 ... .max)
        let isTwin = need.map { !$0.isMet(by: harness.engine) } ?? false
        let log = StepLog()
        let steps: [String]
        let failure: any Error
        do {
            let subject = try StoreSubject(harness, seed: seed, log: log)
            do {
                if isTwin { try twin?(subject) } else { try body(subject) }
            } catch {
                // Before the store is closed, which is not the rule's doing.
                let steps = log.lastSteps
                try? subject.end()
                throw FailedRule(steps: steps, reason: error)
            }
            try subject.end()
            return isTwin ? .twinKept : .kept
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
            ?? RuleViolation(detail: "it ended with the error: \(failure)", at: location)
        violation.rule = description
        violation.ruleLocation = location
        violation.seed = seed
        violation.steps = steps
        throw violation
    }
}

/// Why a rule's body ended early, with the calls that it made before.
private struct FailedRule: Error {
    let steps: [String]
    let reason: any Error
}

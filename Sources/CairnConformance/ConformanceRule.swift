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
/// A rule runs against a new, empty store of its own. It throws a ``RuleViolation`` where the
/// promise is broken; so it works under any test framework, and under none.
public struct ConformanceRule: Sendable, CustomStringConvertible {
    /// What proves a rule.
    public typealias Body = @Sendable (StoreSubject) throws -> Void

    /// The topic's name, such as `saving`; empty for a rule outside of ``ConformanceTopic``.
    public internal(set) var topic = ""
    /// The promise, in the words of the contract.
    public let words: String
    /// The capability that the promise hangs on; nil: every engine keeps it.
    public let need: CapabilityNeed?
    /// What an engine without that capability promises instead; nil where `need` is nil.
    public let twinWords: String?
    private let body: Body
    private let twin: Body?

    /// A rule that every engine keeps.
    public init(_ words: String, body: @escaping Body) {
        self.words = words
        need = nil
        twinWords = nil
        self.body = body
        twin = nil
    }

    /// A rule of engines with a capability, and its twin for those without: what they promise
    /// instead is proved too, so that nothing is skipped.
    public init(
        _ words: String, needs need: CapabilityNeed, twin twinWords: String,
        body: @escaping Body, otherwise: @escaping Body
    ) {
        self.words = words
        self.need = need
        self.twinWords = twinWords
        self.body = body
        self.twin = otherwise
    }

    /// The topic and the promise.
    public var description: String { topic.isEmpty ? words : "\(topic): \(words)" }

    /// Proves the rule on a new store of the harness, or its twin where the engine lacks what the
    /// rule needs.
    ///
    /// - Returns: which of the two was proved.
    /// - Throws: ``RuleViolation``, for every error that comes out of the rule.
    @discardableResult
    public func run(on harness: any StoreHarness) throws(RuleViolation) -> RuleOutcome {
        let capabilities = harness.engine.capabilities
        let isTwin = need.map { !$0.isMet(by: capabilities) } ?? false
        do {
            let subject = try StoreSubject(harness)
            defer { subject.end() }
            if isTwin { try twin?(subject) } else { try body(subject) }
        } catch var violation as RuleViolation {
            violation.rule = description
            throw violation
        } catch {
            throw RuleViolation(rule: description, detail: "it ended with the error: \(error)")
        }
        return isTwin ? .twinKept : .kept
    }
}

/// What a run of a rule proved.
public enum RuleOutcome: Sendable, Hashable {
    case kept
    /// The engine lacks the capability that the rule needs, and keeps the twin.
    case twinKept
}

/// A capability of engines that rules hang on.
public enum CapabilityNeed: String, Sendable, Hashable {
    case durability, readsDuringSave, sharing

    /// Whether engines of these capabilities have it.
    public func isMet(by capabilities: StoreCapabilities) -> Bool {
        switch self {
        case .durability: capabilities.isDurable
        case .readsDuringSave: capabilities.readsDuringSave
        case .sharing: capabilities.isShared
        }
    }
}

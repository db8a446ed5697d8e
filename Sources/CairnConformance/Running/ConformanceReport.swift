import CairnStore

/// What came of running rules on an engine.
public struct ConformanceReport: Sendable {
    /// One rule's outcome.
    public struct Entry: Sendable {
        /// The rule that ran.
        public let rule: ConformanceRule
        /// What was proved. `nil` if the rule is broken.
        public let outcome: RuleOutcome?
        /// What was broken. `nil` unless the rule is broken.
        public let violation: RuleViolation?
        /// How long the rule took, including the creation of its store.
        public let duration: Duration
    }

    /// The engine's type.
    public let type: StoreType
    /// The seed that all rules began with.
    public let seed: UInt64
    /// The outcomes in the order of the rules.
    public internal(set) var entries: [Entry] = []

    init(type: StoreType, seed: UInt64) {
        self.type = type
        self.seed = seed
    }

    /// The promises that are broken, in the order of the rules.
    public var violations: [RuleViolation] { entries.compactMap(\.violation) }

    /// How many rules were kept as they stand.
    public var keptCount: Int { entries.count { $0.outcome == .kept } }

    /// How many rules were kept by their twin, because the engine lacks a capability.
    public var twinCount: Int { entries.count { $0.outcome == .twinKept } }

    /// The rules that say nothing about the engine, because it does not have what they are about.
    public var notApplicable: [Entry] {
        entries.filter { if case .notApplicable? = $0.outcome { true } else { false } }
    }

    /// Whether at least one rule was proved and none is broken.
    public var isConforming: Bool { keptCount + twinCount > 0 && violations.isEmpty }

    /// One line: how many rules are kept, kept by their twins, not applicable and broken, and the
    /// seed that repeats the run.
    public var summary: String {
        "\(type): \(keptCount) rules kept, \(twinCount) kept by their twin for want of a"
            + " capability, \(notApplicable.count) not applicable, \(violations.count) broken"
            + " (seed \(seed))"
    }
}

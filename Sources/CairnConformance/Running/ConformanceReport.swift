import CairnStore

/// The results of running rules on an engine.
public struct ConformanceReport: Sendable {
    /// The result of one rule.
    public struct Entry: Sendable {
        /// The rule that ran.
        public let rule: ConformanceRule
        /// The rule's outcome. `nil` if the rule is broken.
        public let outcome: RuleOutcome?
        /// The violation. `nil` unless the rule is broken.
        public let violation: RuleViolation?
        /// The time that the rule took, including the creation of its store.
        public let duration: Duration
    }

    /// The engine's type.
    public let type: StoreType
    /// The seed that each rule was run with. Pass it to ``ConformanceRunner`` to repeat the run.
    public let seed: UInt64
    /// The results, in the order of the rules.
    public internal(set) var entries: [Entry] = []

    init(type: StoreType, seed: UInt64) {
        self.type = type
        self.seed = seed
    }

    /// The violations, in the order of the rules. Empty if the engine keeps the contract.
    public var violations: [RuleViolation] { entries.compactMap(\.violation) }

    /// The number of rules that were kept.
    public var keptCount: Int { entries.count { $0.outcome == .kept } }

    /// The number of rules whose twin was kept, because the engine lacks a capability.
    public var twinCount: Int { entries.count { $0.outcome == .alternativeKept } }

    /// The rules that do not apply to the engine, because it does not have the feature that they are
    /// about.
    public var notApplicable: [Entry] {
        entries.filter { if case .notApplicable? = $0.outcome { true } else { false } }
    }

    /// Whether at least one rule was kept, itself or by its twin, and no rule is broken.
    public var isConforming: Bool { keptCount + twinCount > 0 && violations.isEmpty }

    /// A line with the number of rules that are kept, kept by their twins, not applicable and broken, and
    /// the seed for repeating the run.
    public var summary: String {
        "\(type): \(keptCount) rules kept, \(twinCount) twin rules kept (for capabilities"
            + " that the engine lacks), \(notApplicable.count) not applicable,"
            + " \(violations.count) broken (seed \(seed))"
    }
}

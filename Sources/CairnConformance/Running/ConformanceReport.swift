import CairnStore

/// What came of running rules on an engine.
public struct ConformanceReport: Sendable {
    /// One rule's outcome.
    public struct Entry: Sendable {
        /// The rule that ran.
        public let rule: ConformanceRule
        /// What was proved; nil where the rule is broken.
        public let outcome: RuleOutcome?
        /// What was broken; nil where the rule is kept.
        public let violation: RuleViolation?
        /// How long it took, its store's creation included.
        public let duration: Duration
    }

    /// The engine's type.
    public let type: StoreType
    /// In the order of the rules.
    public internal(set) var entries: [Entry] = []

    init(type: StoreType) { self.type = type }

    /// The promises that are broken, in the order of the rules.
    public var violations: [RuleViolation] { entries.compactMap(\.violation) }

    /// How many rules were kept as they stand.
    public var keptCount: Int { entries.count { $0.outcome == .kept } }

    /// How many were kept by their twin, for want of a capability.
    public var twinCount: Int { entries.count { $0.outcome == .twinKept } }

    /// Whether at least one rule ran and none is broken.
    public var isConforming: Bool { !entries.isEmpty && violations.isEmpty }

    /// One line: how many rules are kept, by their twins, and broken.
    public var summary: String {
        "\(type): \(keptCount) rules kept, \(twinCount) kept by their twin for want of a"
            + " capability, \(violations.count) broken"
    }
}

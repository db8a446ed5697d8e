import CairnStore

/// The results of running rules on an engine.
package struct ConformanceReport: Sendable {
    /// The result of one rule.
    package struct Entry: Sendable {
        /// The rule that ran.
        package let rule: ConformanceRule
        /// The rule's outcome. `nil` if the rule is broken.
        package let outcome: RuleOutcome?
        /// The violation. `nil` unless the rule is broken.
        package let violation: RuleViolation?
        /// The time that the rule took, including the creation of its store.
        package let duration: Duration
    }

    /// The engine's type.
    package let type: StoreType
    /// The seed that each rule was run with. Pass it to ``ConformanceRunner`` to repeat the run.
    package let seed: UInt64
    /// The results, in the order of the rules.
    package internal(set) var entries: [Entry] = []

    init(type: StoreType, seed: UInt64) {
        self.type = type
        self.seed = seed
    }

    /// The violations, in the order of the rules. Empty if the engine keeps the contract.
    package var violations: [RuleViolation] { entries.compactMap(\.violation) }

    /// The number of rules that were kept.
    package var keptCount: Int { entries.count { $0.outcome == .kept } }

    /// The number of rules whose twin was kept, because the engine lacks a capability.
    package var twinCount: Int { entries.count { $0.outcome == .alternativeKept } }

    /// The rules that do not apply to the engine, because it does not have the feature that they are
    /// about.
    package var notApplicable: [Entry] {
        entries.filter { $0.reasonNotApplicable != nil }
    }

    /// Whether at least one rule was kept, itself or by its twin, and no rule is broken.
    package var isConforming: Bool { keptCount + twinCount > 0 && violations.isEmpty }

    /// A line with the number of rules that are kept, kept by their twins, not applicable and broken, and
    /// the seed for repeating the run.
    package var summary: String {
        "\(type): \(keptCount) rules kept, \(twinCount) twin rules kept (for capabilities"
            + " that the engine lacks), \(notApplicable.count) not applicable,"
            + " \(violations.count) broken (seed \(seed))"
    }

    /// The version of the kit, which is that of the package.
    package static let kitVersion = "0.1.0"

    /// A line that an author can publish, such as `SQLite passes Cairn's kit 0.1.0: 264 kept, 9 not
    /// applicable`. `nil` if not all rules of the kit were run, because the results of some are no verdict.
    package var verdict: String? {
        guard isWholeKit else { return nil }
        let broken = isConforming ? "" : "\(violations.count) broken, "
        return
            "\(type) \(isConforming ? "passes" : "breaks") Cairn's kit \(Self.kitVersion): \(broken)"
            + "\(keptCount + twinCount) kept, \(notApplicable.count) not applicable"
    }

    /// Whether all rules of the kit were run.
    package var isWholeKit: Bool {
        Set(entries.map(\.rule.description))
            .isSuperset(of: ConformanceRule.all.map(\.description))
    }
}

extension ConformanceReport.Entry {
    /// The report's line for a rule that is broken or not applicable. `nil` for a rule that was kept.
    package var line: String? {
        if let violation { return "broken  \(violation)" }
        return reasonNotApplicable.map { "not applicable  \(rule): \($0)" }
    }

    /// The reason that the rule does not apply to the engine. `nil` if it applies.
    var reasonNotApplicable: String? {
        if case .notApplicable(let reason)? = outcome { reason } else { nil }
    }
}

import CairnStore
import Foundation

/// Runs the kit without a test framework, in a tool or in an engine author's own program.
///
/// ```swift
/// exit(ConformanceRunner(EngineHarness(FolderStore.self)).runAndPrint())
/// ```
package struct ConformanceRunner: Sendable {
    /// The progress of a run.
    package struct Progress: Sendable, CustomStringConvertible {
        /// The number of the rule that begins, counted from 1.
        package let number: Int
        /// The number of rules in the run.
        package let count: Int
        /// The rule that begins.
        package let rule: ConformanceRule

        /// The numbers and the rule, such as `[12/171] saving: a save of nothing succeeds`.
        package var description: String { "[\(number)/\(count)] \(rule)" }
    }

    private let harness: any StoreHarness
    private let rules: [ConformanceRule]
    private let seed: UInt64

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - harness: The harness of the engine under test.
    ///   - rules: The rules to run. The default is all rules of the kit. Authors may add their own rules.
    ///   - seed: The seed for repeating an earlier run. If `nil`, a random seed is chosen.
    package init(
        _ harness: any StoreHarness, rules: [ConformanceRule] = ConformanceRule.all,
        seed: UInt64? = nil
    ) {
        self.harness = harness
        self.rules = rules
        self.seed = seed ?? .random(in: 0 ... .max)
    }

    /// Runs the rules one after another. A broken rule does not stop the run.
    ///
    /// - Parameters:
    ///   - begin: Called before each rule.
    ///   - end: Called after each rule, with the rule's result.
    package func run(
        begin: (Progress) -> Void = { _ in }, end: (ConformanceReport.Entry) -> Void = { _ in }
    ) -> ConformanceReport {
        var report = ConformanceReport(type: harness.engine.type, seed: seed)
        for (index, rule) in rules.enumerated() {
            begin(Progress(number: index + 1, count: rules.count, rule: rule))
            let entry = run(rule)
            report.entries.append(entry)
            end(entry)
        }
        return report
    }

    /// Runs the rules. Prints the broken rules, the rules that are not applicable, and the summary.
    /// Prints each rule to standard error when it begins.
    ///
    /// - Returns: The program's exit code: 0 if the engine conforms, otherwise 1.
    package func runAndPrint() -> Int32 {
        let report = run { progress in
            FileHandle.standardError.write(Data("\(progress)\n".utf8))
        } end: { entry in
            if let line = entry.line { print(line) }
        }
        print(report.summary)
        return report.isConforming ? 0 : 1
    }

    private func run(_ rule: ConformanceRule) -> ConformanceReport.Entry {
        let clock = ContinuousClock()
        let start = clock.now
        do throws(RuleViolation) {
            let outcome = try rule.run(on: harness, seed: seed)
            return ConformanceReport.Entry(
                rule: rule, outcome: outcome, violation: nil, duration: clock.now - start)
        } catch {
            return ConformanceReport.Entry(
                rule: rule, outcome: nil, violation: error, duration: clock.now - start)
        }
    }
}

extension ConformanceReport.Entry {
    /// The report's line for a rule that is broken or not applicable. `nil` for a rule that was kept.
    package var line: String? {
        if let violation { return "broken  \(violation)" }
        guard case .notApplicable(let reason)? = outcome else { return nil }
        return "not applicable  \(rule): \(reason)"
    }
}

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
        entries.filter { if case .notApplicable? = $0.outcome { true } else { false } }
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
}

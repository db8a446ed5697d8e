import CairnStore
import Foundation

/// Runs the kit where there is no test framework: in a tool, or in an engine author's own program.
///
/// ```swift
/// exit(ConformanceRunner(EngineHarness(FolderStore.self)).runAndPrint())
/// ```
public struct ConformanceRunner: Sendable {
    private let harness: any StoreHarness
    private let rules: [ConformanceRule]

    /// - Parameter rules: those to run; the kit's, and an author's own beside them.
    public init(_ harness: any StoreHarness, rules: [ConformanceRule] = ConformanceRule.all) {
        self.harness = harness
        self.rules = rules
    }

    /// Runs the rules one after the other; a broken one stops none.
    ///
    /// - Parameter progress: called with each rule's entry as it ends.
    public func run(_ progress: (ConformanceReport.Entry) -> Void = { _ in }) -> ConformanceReport {
        var report = ConformanceReport(type: harness.engine.type)
        for rule in rules {
            let entry = run(rule)
            report.entries.append(entry)
            progress(entry)
        }
        return report
    }

    /// Runs the rules and prints the broken ones and the summary.
    ///
    /// - Returns: a program's exit code: 0 where the engine conforms, else 1.
    public func runAndPrint() -> Int32 {
        let report = run { entry in
            if let violation = entry.violation { print("broken  \(violation)") }
        }
        print(report.summary)
        return report.isConforming ? 0 : 1
    }

    private func run(_ rule: ConformanceRule) -> ConformanceReport.Entry {
        let clock = ContinuousClock()
        let start = clock.now
        do throws(RuleViolation) {
            let outcome = try rule.run(on: harness)
            return ConformanceReport.Entry(
                rule: rule, outcome: outcome, violation: nil, duration: clock.now - start)
        } catch {
            return ConformanceReport.Entry(
                rule: rule, outcome: nil, violation: error, duration: clock.now - start)
        }
    }
}

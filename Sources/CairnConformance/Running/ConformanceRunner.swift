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

    /// Runs the rules. Prints the broken rules, the rules that are not applicable, the summary and the
    /// verdict. Prints each rule to standard error when it begins.
    ///
    /// - Parameter files: The files to write the results to.
    /// - Returns: The program's exit code: 0 if the engine conforms and the files were written, otherwise 1.
    package func runAndPrint(to files: ReportFiles = ReportFiles()) -> Int32 {
        let report = run { progress in
            FileHandle.standardError.write(Data("\(progress)\n".utf8))
        } end: { entry in
            if let line = entry.line { print(line) }
        }
        print(report.summary)
        if let verdict = report.verdict { print(verdict) }
        do {
            try files.write(report)
        } catch {
            print(error)
            return 1
        }
        return report.isConforming ? 0 : 1
    }

    private func run(_ rule: ConformanceRule) -> ConformanceReport.Entry {
        let clock = ContinuousClock()
        let start = clock.now
        do {
            let outcome = try rule.run(on: harness, seed: seed)
            return ConformanceReport.Entry(
                rule: rule, outcome: outcome, violation: nil, duration: clock.now - start)
        } catch {
            return ConformanceReport.Entry(
                rule: rule, outcome: nil, violation: error, duration: clock.now - start)
        }
    }
}

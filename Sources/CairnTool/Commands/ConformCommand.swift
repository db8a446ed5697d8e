import ArgumentParser
import Cairn
import CairnConformance
import Foundation

/// The `cairn conform` command, which tests whether an engine keeps the store contract.
struct ConformCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conform",
        abstract: "Tests an engine against the store contract. Exits with 1 if it breaks a rule.",
        discussion: """
            Each rule runs on a new store of its own, in a temporary folder. The name of each rule is \
            printed to standard error when the rule begins. A broken rule is shown with its location \
            in the source, the engine's last calls and the seed. To repeat it, pass \
            --rule "its name" --seed NUMBER.
            """)

    @Argument(help: "The engine's type, such as SQLite.")
    var type: String

    @Option(help: "Run only the rules of this topic.")
    var topic: String?

    @Option(
        help:
            "Run only the rules whose name contains this text, or only the rule with exactly this name."
    )
    var rule: String?

    @Option(help: "The seed of an earlier run, to repeat its random choices.")
    var seed: UInt64?

    @Flag(help: "Print the rules without running them.")
    var list = false

    @Flag(help: "Print every rule with its duration, not only the broken ones.")
    var verbose = false

    @Option(help: "Also write the results to this file, as JSON.", completion: .file())
    var json: String?

    @Option(
        help: "Also write the results to this file, in JUnit's XML format.", completion: .file())
    var junit: String?

    /// Whether this process is a worker. The conformance kit passes this flag: see `WorkerExecutable`.
    @Flag(name: .customLong("cairn-conformance-worker"), help: .hidden)
    var isWorker = false

    func validate() throws {
        do {
            _ = try selectedRules()
        } catch {
            throw ValidationError(error.description)
        }
    }

    func run() throws {
        if list {
            for rule in try selectedRules() { try Output.line("\(rule)") }
            return
        }
        let engine = try StoreRegistry.builtIn.engine(ofType: StoreType(type))
        let harness = EngineHarness(
            engine, worker: .thisProgram(["conform", type]),
            // LMDB's library trusts the pages that it maps, so damaged pages can crash the process.
            damageMayEndProcess: engine is LMDBStore.Type)
        if isWorker {
            _ = ConformanceProgram(harness).run([WorkerExecutable.argument])
        } else {
            try run(on: harness)
        }
    }

    /// Runs the rules, prints the results, and writes them to the requested files.
    ///
    /// - Throws: ``ToolFailure`` if a rule is broken; `ReportFiles.Failure` if a file cannot be written.
    func run(on harness: any StoreHarness) throws {
        var failure: (any Error)?
        let runner = ConformanceRunner(harness, rules: try selectedRules(), seed: seed)
        let report = runner.run { progress in
            Output.error("\(progress)")
        } end: { entry in
            do { try show(entry) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        try ReportFiles(json: json, junit: junit).write(report)
        if report.isConforming { try Output.line(report.summary) }
        if let verdict = report.verdict { try Output.line(verdict) }
        guard report.isConforming else { throw ToolFailure(report.summary) }
    }

    private func selectedRules() throws(RuleSelectionError) -> [ConformanceRule] {
        try ConformanceRule.selected(topics: topic.map { [$0] } ?? [], words: rule)
    }

    private func show(_ entry: ConformanceReport.Entry) throws {
        if let line = entry.line { return try Output.line(line) }
        guard verbose else { return }
        let twin =
            entry.outcome == .alternativeKept
            ? entry.rule.alternativePromise.map { " → \($0)" } : nil
        let milliseconds = Int(entry.duration / .milliseconds(1))
        try Output.line("kept    \(entry.rule)\(twin ?? "") (\(milliseconds) ms)")
    }
}

import ArgumentParser
import Cairn
import CairnConformance
import Foundation

/// `cairn conform`: whether an engine keeps the store contract.
struct ConformCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conform",
        abstract: "Proves an engine against the store contract; 1 where it breaks a rule.",
        discussion: "Every rule runs on a new store of its own, in a temporary folder.")

    @Argument(help: "The engine's type, such as SQLite.")
    var type: String

    @Option(help: "Only the rules of this topic.")
    var topic: String?

    @Flag(help: "Print each rule with its time, not only the broken ones.")
    var verbose = false

    /// Set by the kit itself: see `WorkerExecutable`.
    @Flag(name: .customLong("cairn-conformance-worker"), help: .hidden)
    var isWorker = false

    func validate() throws {
        guard let topic, ConformanceTopic.named(topic) == nil else { return }
        let known = ConformanceTopic.all.map(\.name).joined(separator: ", ")
        throw ValidationError("There is no topic “\(topic)”. Topics: \(known).")
    }

    func run() throws {
        let engine = try StoreRegistry.builtIn.engine(ofType: StoreType(type))
        let harness = EngineHarness(
            engine, worker: .thisProgram(["conform", type]),
            // LMDB's library trusts the pages that it maps.
            damageMayEndProcess: engine is LMDBStore.Type)
        if isWorker {
            _ = ConformanceProgram(harness).run([WorkerExecutable.argument])
        } else {
            try run(on: harness)
        }
    }

    /// Runs the rules and prints the outcome.
    ///
    /// - Throws: ``ToolFailure`` where a rule is broken.
    func run(on harness: any StoreHarness) throws {
        let rules = topic.flatMap(ConformanceTopic.named)?.rules ?? ConformanceRule.all
        var failure: (any Error)?
        let report = ConformanceRunner(harness, rules: rules).run { entry in
            do { try show(entry) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        guard report.isConforming else { throw ToolFailure(report.summary) }
        try Output.line(report.summary)
    }

    private func show(_ entry: ConformanceReport.Entry) throws {
        if let violation = entry.violation { return try Output.line("broken  \(violation)") }
        guard verbose else { return }
        let twin = entry.outcome == .twinKept ? entry.rule.twinWords.map { " → \($0)" } : nil
        let milliseconds = Int(entry.duration / .milliseconds(1))
        try Output.line("kept    \(entry.rule)\(twin ?? "") (\(milliseconds) ms)")
    }
}

import ArgumentParser

import Foundation

/// The arguments of a benchmark program.
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent,
        abstract: "Compares the speed of Cairn's engines with C libraries and other libraries.",
        discussion: """
            Each row runs its contenders in interleaved rounds in this process. The result of a \
            contender is the ratio of its median processor time to that of the baseline. \
            Benchmarks/README.md explains the table and the JSON.
            """)

    @OptionGroup var choice: RunChoice

    @Option(help: "Write all measurements to this file as JSON.")
    var json: String?

    @Option(help: "Write a self-contained page for people who choose an engine to this file.")
    var html: String?

    @Flag(help: "Also show the rows' names for --workload, their goals, and the missed goals.")
    var goals = false

    @Option(help: "Show the measurements in this file, which --json wrote, instead of measuring.")
    var from: String?

    @Option(help: "Replace the table of figures in this page, and keep them beside it as JSON.")
    var keepTable: String?

    @Option(help: "Show what has changed since an earlier run, given the file of its --json.")
    var compare: String?

    @Option(help: "Fail if a ratio exceeds the limits in this file; see script/check-speed.")
    var check: String?

    @Option(help: "Write the results to this file as limits for --check. Keeps other rows' limits.")
    var keepLimits: String?

    @Option(help: "Measure a copy of this store instead.")
    var store: String?

    @Option(help: "The model of --store. (default: the model in the store)")
    var model: String?

    @Flag(help: "List the rows without measuring.")
    var list = false

    func validate() throws {
        try choice.check()
        if model != nil, store == nil {
            throw ValidationError("--model needs --store.")
        }
    }

    /// Performs the command.
    ///
    /// - Throws: `ValidationError`, `ExitCode` if a limit is exceeded, or the error that prevents a row from
    ///   running.
    func run(measuring engines: MeasuredEngines) throws {
        let rows = try choice.chosen(of: engines.additions.workloads)
        if list { return print(RowList.text(of: rows, showsGoals: goals)) }
        let limits = try check.map { try Thresholds(contentsOf: URL(fileURLWithPath: $0)) }
        let old = try compare.map { try Report(contentsOf: URL(fileURLWithPath: $0)) }
        let report =
            try from.map { try Report(contentsOf: URL(fileURLWithPath: $0)) }
            ?? measured(rows, engines)
        print(choice.smoke ? TerminalTable.smokeSummary(of: report) : text(of: report))
        if let json { try report.write(to: URL(fileURLWithPath: json)) }
        if let html {
            try Data(HTMLReport(report, showsGoals: goals).text.utf8).write(
                to: URL(fileURLWithPath: html))
        }
        if let keepTable {
            try MarkdownTable(report).write(into: URL(fileURLWithPath: keepTable))
        }
        if let old { print("\n\(ReportComparison(from: old, to: report))") }
        if let keepLimits {
            let url = URL(fileURLWithPath: keepLimits)
            let isThere = FileManager.default.fileExists(atPath: keepLimits)
            let old = isThere ? try Thresholds(contentsOf: url) : nil
            try (old?.updated(from: report) ?? Thresholds(from: report)).write(to: url)
        }
        if let limits { try Self.check(report, limits) }
    }

    /// A warning in an unoptimized build. Empty otherwise.
    private static var debugNote: String {
        #if DEBUG
        "\nThis is a debug build: its times say nothing. Build with -c release."
        #else
        ""
        #endif
    }

    /// Returns the report, starting with the first screen. A terminal shows the rows while they are measured, so
    /// that the first screen is what remains visible.
    private func text(of report: Report) -> String {
        let overview = TerminalOverview(report)
        let table = TerminalTable(showsGoals: goals)
        let rows = Session.showsRows ? "" : "\nAll rows\n" + table.rows(of: report)
        let leftOut = Session.showsRows && !goals ? "" : TerminalTable.leftOut(of: report)
        return [
            Self.debugNote, overview.text, goals ? overview.missedGoals : "", rows,
            leftOut, table.summary(of: report),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func check(_ report: Report, _ limits: Thresholds) throws {
        let violations = limits.violations(in: report)
        guard violations.isEmpty else {
            print("\nslower than the limits allow:")
            for violation in violations { print("    \(violation)") }
            throw ExitCode.failure
        }
        print("\nall \(limits.limits.count) limits are kept")
    }

    private func measured(
        _ rows: [any Workload<Setting>], _ engines: MeasuredEngines
    ) throws -> Report {
        let table = TerminalTable(showsGoals: goals, usesColor: Session.showsRows)
        let session = Session(choice, engines, table)
        let runs = try (0..<choice.runs).map { _ in
            guard let store else { return try session.run(rows) }
            return try session.run(
                on: URL(fileURLWithPath: store), model: model.map { URL(fileURLWithPath: $0) })
        }
        return runs.count == 1 ? runs[0] : Report(medianOf: runs)
    }
}

import ArgumentParser
import BenchmarkKit
import Foundation
import Workloads

/// The command `cairn-bench`.
@main
struct CairnBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cairn-bench",
        abstract: "Measures Cairn's engines against the C libraries below them and against peers.")

    @Option(name: .long, help: "How many objects a store holds.")
    var size: [Int] = [100_000]

    @Option(name: .long, help: "Rows to run, by name; all unless given.")
    var workload: [String] = []

    @Option(name: .long, help: "Engines to run them on.")
    var engine: [String] = ["SQLite"]

    @Option(name: .long, help: "How many rounds are counted.")
    var rounds = 7

    @Option(name: .long, help: "Writes everything measured to a file, as JSON.")
    var json: String?

    @Option(
        name: .long, help: "The folder for stores; the system's for temporary files by default.")
    var directory: String?

    func run() throws {
        let settings = try Settings(folder: directory.map { URL(fileURLWithPath: $0) })
        var report = Report(
            date: ISO8601DateFormatter().string(from: Date()), machine: .current, rounds: rounds)
        let chosen = Catalogue.workloads.filter {
            workload.isEmpty || workload.contains($0.name)
        }
        for size in size {
            for engine in engine {
                let setting = settings.setting(engine, size: size)
                for workload in chosen {
                    let rows = try rows(of: workload, in: setting)
                    for row in rows { print(TerminalTable.text(of: row)) }
                    report.rows += rows
                }
            }
        }
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(report).write(to: URL(fileURLWithPath: json))
        }
    }

    private func rows<W: Workload<Setting>>(
        of workload: W, in setting: Setting
    ) throws -> [RowResult] {
        let engine = setting.engineName
        switch try workload.plan(in: setting) {
        case .notApplicable: return []
        case .notYet(let needs):
            return [
                RowResult(
                    of: workload, engine: engine, size: setting.size, contest: nil, needs: needs)
            ]
        case .contests(let contests):
            return try contests.map { contest in
                RowResult(
                    of: workload, engine: engine, size: setting.size, contest: contest,
                    contenders: try ContestRunner(rounds: rounds).run(contest))
            }
        }
    }
}

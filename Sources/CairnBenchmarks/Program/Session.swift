import Cairn
import Foundation

/// A run of the command, which measures the chosen rows. On a terminal, each row is shown when it is done.
struct Session {
    private let choice: RunChoice
    private let engines: MeasuredEngines
    private let table: TerminalTable
    private let progress = Progress()

    /// Whether rows are shown while others are still being measured, which is the case on a terminal.
    static let showsRows = isatty(STDOUT_FILENO) != 0

    init(_ choice: RunChoice, _ engines: MeasuredEngines, _ table: TerminalTable) {
        self.choice = choice
        self.engines = engines
        self.table = table
    }

    /// Runs rows on the reference model.
    ///
    /// - Throws: ``ChecksumMismatch``, or the error that prevents a row from running.
    func run(_ workloads: [any Workload<Setting>]) throws -> Report {
        let types = try choice.engines(of: engines).map { StoreType(rawValue: $0) }
        let shelf = try StoreTemplates(
            below: folder, harnesses: engines.harnesses, additions: engines.additions)
        progress.expect(
            choice.sizes.flatMap { size in
                types.flatMap { _ in workloads.map { _ in Double(size) } }
            })
        var report = emptyReport
        report.engines = try types.map {
            try Setting(engine: $0, size: 1_000, shelf: shelf).facts()
        }
        for size in choice.sizes {
            for type in types {
                show(table.heading(engine: type.rawValue, size: size))
                let setting = Setting(engine: type, size: size, shelf: shelf)
                for workload in workloads { try run(workload, in: setting, &report) }
            }
        }
        progress.end()
        return report
    }

    /// Runs the rows that are possible on any store.
    ///
    /// - Parameter model: The URL of the model, or `nil` to use the model that the store contains.
    /// - Throws: The errors of ``run(_:)``, or an error if the store or the model cannot be opened.
    func run(on store: URL, model: URL?) throws -> Report {
        let own = try OwnStore(store, model: model, folder: folder)
        let workloads = own.workloads
        progress.expect(workloads.map { _ in 1 })
        var report = emptyReport
        show(table.heading(engine: own.engineName, size: own.objectCount))
        for workload in workloads { try run(workload, in: own, &report) }
        progress.end()
        return report
    }

    private var folder: URL? { choice.directory.map { URL(fileURLWithPath: $0) } }

    private var emptyReport: Report {
        Report(
            date: Date.now.formatted(.iso8601),
            machine: .current(libraries: engines.additions.libraries), rounds: choice.roundCount)
    }

    private func run<Environment: MeasuringEnvironment, Row: Workload<Environment>>(
        _ workload: Row, in environment: Environment, _ report: inout Report
    ) throws {
        let (engine, size) = (environment.engineName, environment.size)
        progress.show("\(engine), \(size): \(workload.name), preparing")
        switch try environment.plan(of: workload) {
        case .notApplicable(let because):
            let row = LeftOutRow(workload: workload.name, engine: engine, because: because)
            report.leftOut = (report.leftOut ?? []) + [row]
        case .notYet(let needs):
            add(
                RowResult(of: workload, engine: engine, size: size, contest: nil, needs: needs),
                to: &report)
        case .contests(let contests):
            for contest in contests.map(choice.trimmed) {
                let row = "\(engine), \(size): \(workload.name)"
                let contenders = try run(contest, of: row)
                add(
                    RowResult(
                        of: workload, engine: engine, size: size, contest: contest,
                        contenders: contenders),
                    to: &report)
            }
        }
        progress.didFinishOne()
    }

    /// Runs a contest.
    ///
    /// - Throws: ``ChecksumMismatch`` with the name of the row, or the error of a contender.
    private func run(_ contest: Contest, of row: String) throws -> [ContenderResult] {
        let runner = ContestRunner(
            rounds: choice.roundCount, warmsUp: !choice.smoke, limit: .seconds(choice.limit)
        ) { contender in
            progress.show("\(row), \(contender)")
        }
        do { return try runner.run(contest) } catch var mismatch as ChecksumMismatch {
            let part = mismatch.contest
            mismatch.contest = part.isEmpty ? row : "\(row), \(part)"
            throw mismatch
        }
    }

    private func add(_ row: RowResult, to report: inout Report) {
        show(table.text(of: row))
        report.rows.append(row)
    }

    private func show(_ text: String) {
        // A smoke test shows no times, because they would be meaningless.
        guard Self.showsRows, !choice.smoke else { return }
        progress.clear()
        print(text)
        fflush(nil)
    }
}

import BenchmarkKit
import Foundation
import Workloads

/// One run of the command: measures the rows that were chosen, and prints each as it is done.
struct Session {
    private let choice: RunChoice
    private let table = TerminalTable(usesColor: isatty(STDOUT_FILENO) != 0)
    private let progress = Progress()

    init(_ choice: RunChoice) {
        self.choice = choice
    }

    /// Runs the rows on the reference model.
    ///
    /// - Throws: ``ChecksumMismatch``; what keeps a row from being run.
    func run() throws -> Report {
        let settings = try Settings(folder: folder)
        let (workloads, engines) = (choice.workloads, choice.engines)
        progress.expect(
            choice.sizes.flatMap { size in
                engines.flatMap { _ in workloads.map { _ in Double(size) } }
            })
        var report = emptyReport
        for size in choice.sizes {
            for engine in engines {
                show(table.heading(engine: engine, size: size))
                let setting = settings.setting(engine, size: size)
                for workload in workloads { report.rows += try rows(of: workload, in: setting) }
            }
        }
        progress.end()
        return report
    }

    /// Runs what can be run on any store.
    ///
    /// - Parameter model: nil: the one that the store keeps.
    /// - Throws: as ``run()``; where store or model cannot be opened.
    func run(on store: URL, model: URL?) throws -> Report {
        let own = try OwnStore(store, model: model, folder: folder)
        let workloads = own.workloads
        progress.expect(workloads.map { _ in 1 })
        var report = emptyReport
        show(table.heading(engine: own.engineName, size: own.objectCount))
        for workload in workloads { report.rows += try rows(of: workload, in: own) }
        progress.end()
        return report
    }

    private var folder: URL? { choice.directory.map { URL(fileURLWithPath: $0) } }

    private var emptyReport: Report {
        Report(
            date: Date.now.formatted(.iso8601), machine: .current, rounds: choice.roundCount)
    }

    private func rows<Place: MeasuringPlace, Row: Workload<Place>>(
        of workload: Row, in place: Place
    ) throws -> [RowResult] {
        let rows = try measure(workload, in: place)
        for row in rows { show(table.text(of: row)) }
        progress.didFinishOne()
        return rows
    }

    private func measure<Place: MeasuringPlace, Row: Workload<Place>>(
        _ workload: Row, in place: Place
    ) throws -> [RowResult] {
        let (engine, size) = (place.engineName, place.size)
        progress.show("\(engine), \(size): \(workload.name), preparing")
        switch try workload.plan(in: place) {
        case .notApplicable: return []
        case .notYet(let needs):
            return [
                RowResult(of: workload, engine: engine, size: size, contest: nil, needs: needs)
            ]
        case .contests(let contests):
            let runner = ContestRunner(
                rounds: choice.roundCount, limit: .seconds(choice.limit)
            ) { contender in
                progress.show("\(engine), \(size): \(workload.name), \(contender)")
            }
            return try contests.map(choice.trimmed).map { contest in
                RowResult(
                    of: workload, engine: engine, size: size, contest: contest,
                    contenders: try runner.run(contest))
            }
        }
    }

    private func show(_ text: String) {
        progress.clear()
        print(text)
        fflush(nil)
    }
}

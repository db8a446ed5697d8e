import Cairn
import Foundation

/// The output of a run: failures as they occur, and a table at the end.
struct Report {
    private var rows: [[String]] = []
    private(set) var hasFailed = false

    mutating func add(_ part: String, _ engine: String, _ outcome: PartRun.Outcome) {
        rows.append([
            part, engine, "\(outcome.trials)", "\(outcome.notReached)", "\(outcome.savesChecked)",
            outcome.failures.isEmpty ? "none" : "\(outcome.failures.count)",
        ])
        if outcome.failures.isEmpty { return }
        hasFailed = true
        for failure in outcome.failures.prefix(Self.mostFailures) { Self.print(failure) }
        let more = outcome.failures.count - Self.mostFailures
        if more > 0 { Self.print("… and \(more) more failures of \(part) \(engine)") }
    }

    private static let mostFailures = 20

    mutating func addNotRun(_ part: String, _ engine: String, _ reason: String) {
        rows.append([part, engine, "not run", "", "", ""])
        Self.print("\(part) \(engine) was not run: \(reason)")
    }

    mutating func addPlanted(_ part: String, _ defect: String, _ engine: String, found: String?) {
        if let found {
            Self.print("planted \(defect): found by \(part) in \(engine), \(found)")
        } else {
            hasFailed = true
            Self.print("planted \(defect): NOT FOUND by \(part) in \(engine)")
        }
    }

    /// Prints the table of all parts.
    func printTable() {
        let heads = ["part", "engine", "trials", "not reached", "saves checked", "failures"]
        let lines = [heads] + rows
        let widths = heads.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        for line in lines {
            Self.print(
                zip(line, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                    .joined(separator: "  "))
        }
    }

    static func print(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// The overview table and the missed goals of a report, for a terminal.
public struct TerminalOverview {
    private let report: Report

    /// Creates the overview of a report.
    public init(_ report: Report) { self.report = report }

    /// The table. Empty if none of its rows was measured.
    public var table: String {
        guard let overview = Overview(report) else { return "" }
        let size = Format.whole(Double(overview.size))
        var lines = [
            "", "Cairn’s processor time as a multiple of the C library’s, \(size) objects",
            overview.peers.isEmpty
                ? "1.00 is the library itself; less is better"
                : "1.00 is the library itself; less is better. In brackets: "
                    + overview.peers.joined(separator: ", "),
            "",
        ]
        lines += aligned([header(overview)] + overview.engines.map { line($0, overview) })
        lines.append("")
        lines += overview.columns.map { column in
            "\(column.headline.rawValue): \(column.title) (row \(column.workload))"
        }
        return lines.joined(separator: "\n")
    }

    private func header(_ overview: Overview) -> [String] {
        [""] + overview.columns.map(\.headline.rawValue)
    }

    private func line(_ engine: String, _ overview: Overview) -> [String] {
        [engine]
            + overview.columns.map { column in
                guard let cell = overview.cell(engine, column) else { return "–" }
                let peer = cell.peer.map { " (\(Format.ratio($0.ratio.median)))" } ?? ""
                let spread = overview.isRepeated ? cell.ratio.map { " \($0.rangeText)" } ?? "" : ""
                return cell.text + spread + peer
            }
    }

    /// The missed goals, each with an explanation of the remaining time. Empty if all goals were met.
    public var missedGoals: String {
        let missed = report.missedGoals
        guard !missed.isEmpty else { return "" }
        let lines = aligned(
            missed.map { goal in
                [
                    goal.row.workload, goal.row.engine, goal.measured, goal.goal.text, goal.name,
                ]
            })
        let rests = missed.map(\.row).compactMap { row in
            row.about.rest.map { "    \(row.workload): \($0)" }
        }
        return (["", "goals missed"] + lines.map { "    " + $0 } + rests.uniqued)
            .joined(separator: "\n")
    }

    /// Returns the lines with aligned columns.
    private func aligned(_ lines: [[String]]) -> [String] {
        let widths = (lines.first ?? []).indices.map { column in
            lines.map { $0[column].count }.max() ?? 0
        }
        return lines.map { line in
            let cells = zip(line, widths).map { text, width in
                text + String(repeating: " ", count: width - text.count)
            }
            return cells.joined(separator: "   ").trimmingTrailingSpaces
        }
    }
}

/// The first screen of a report, for a terminal with 80 columns.
package struct TerminalOverview {
    private let report: Report

    /// Creates the first screen of a report.
    package init(_ report: Report) { self.report = report }

    private static let width = 80
    private static let chartWidth = 38
    private static let barWidth = 14

    /// The engines that suit a program's needs, and a chart for each ``Headline``. Empty if none of their rows
    /// was measured.
    package var text: String {
        guard let overview = Overview(report) else { return "" }
        let size = Format.whole(Double(overview.size))
        var lines = [""]
        let choices = overview.choices
        if !choices.isEmpty { lines += ["A program that …"] + choices.map(line) + [""] }
        lines += [
            "Time of one operation with \(size) objects (median of the processor time)",
            legend(overview), "",
        ]
        let charts = overview.columns.map { self.lines(of: $0.chart) }
        for index in stride(from: 0, to: charts.count, by: 2) {
            lines += beside(charts[index], index + 1 < charts.count ? charts[index + 1] : [])
            lines.append("")
        }
        return lines.map(\.trimmingTrailingSpaces).joined(separator: "\n")
    }

    /// The need, the fastest engine, and how many times as long the others take.
    private func line(_ choice: Overview.Choice) -> String {
        let others = choice.engines.dropFirst().map { engine in
            engine.multiple.map { "\(engine.name) \(Format.multiple($0))" } ?? engine.name
        }
        let line = "  " + pad(choice.need, 30) + pad(choice.engines[0].name, 9)
        let all = line + others.joined(separator: ", ")
        return all.count <= Self.width ? all : String(all.prefix(Self.width - 1)) + "…"
    }

    private func legend(_ overview: Overview) -> String {
        let marks = overview.marks.map { mark in
            let what = mark.name == BarChart.baselineName ? "the same in C" : mark.name
            return "\(symbol(of: mark)) \(what)"
        }
        return (["▶ longer than the scale"] + marks + ["2.0× of the fastest with files"])
            .joined(separator: "   ")
    }

    private func symbol(of mark: BarChart.Mark) -> Character { mark.isBaseline ? "┃" : "◆" }

    private func lines(of chart: BarChart) -> [String] {
        let unit = chart.unit.isEmpty ? "" : ", per \(chart.unit)"
        let bars = chart.bars.map { line($0.engine, $0.value, bar($0, chart), chart) }
        let peers = chart.peers.map { line($0.name, $0.value, mark([$0], chart), chart) }
        return ["\(chart.title)\(unit)"] + bars + peers
    }

    private func line(
        _ name: String, _ value: Double, _ bar: [Character], _ chart: BarChart
    ) -> String {
        let text = chart.text(of: value)
        let multiple = chart.multiple(of: value)
        return pad(String(name.prefix(8)), 9) + String(bar)
            + String(repeating: " ", count: max(1, 8 - text.count)) + text
            + String(repeating: " ", count: max(1, 7 - multiple.count)) + multiple
    }

    private func bar(_ bar: BarChart.Bar, _ chart: BarChart) -> [Character] {
        let width = Self.barWidth
        var cells = [Character](repeating: " ", count: width)
        if let position = chart.position(of: bar.value) {
            let length = max(1, Int((position * Double(width)).rounded()))
            for index in 0..<length { cells[index] = "█" }
        } else {
            cells = [Character](repeating: "█", count: width - 1) + ["▶"]
        }
        return mark(bar.marks.filter(\.isBaseline), chart, on: cells)
    }

    private func mark(
        _ marks: [BarChart.Mark], _ chart: BarChart,
        on cells: [Character] = Array(repeating: " ", count: barWidth)
    ) -> [Character] {
        var cells = cells
        for mark in marks {
            guard let position = chart.position(of: mark.value) else { continue }
            cells[min(cells.count - 1, Int(position * Double(cells.count)))] = symbol(of: mark)
        }
        return cells
    }

    /// Returns the lines of two charts beside each other.
    private func beside(_ left: [String], _ right: [String]) -> [String] {
        (0..<max(left.count, right.count)).map { index in
            pad(index < left.count ? left[index] : "", Self.chartWidth) + "    "
                + (index < right.count ? right[index] : "")
        }
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// The missed goals, each with an explanation of the remaining time. Empty if all goals were met.
    package var missedGoals: String {
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
            zip(line, widths).map(pad).joined(separator: "   ").trimmingTrailingSpaces
        }
    }
}

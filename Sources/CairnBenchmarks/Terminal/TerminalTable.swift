/// Formats rows for a terminal.
package struct TerminalTable {
    /// Whether the rows' names and goals are shown.
    package var showsGoals: Bool
    /// Whether missed goals are highlighted in color. For terminals, not for files.
    package var usesColor: Bool

    /// Creates a formatter.
    ///
    /// - Parameters:
    ///   - showsGoals: Whether the rows' names and goals are shown.
    ///   - usesColor: Whether missed goals are highlighted in color.
    package init(showsGoals: Bool = false, usesColor: Bool = false) {
        self.showsGoals = showsGoals
        self.usesColor = usesColor
    }

    private static let widths = (name: 34, time: 9, spread: 6, ratio: 6, goal: 9)

    /// Returns the column headings, which are printed once for each engine and size.
    package func heading(engine: String, size: Int) -> String {
        let title = "\(engine), \(Format.whole(Double(size))) objects"
        let widths = Self.widths
        var columns = [
            pad(title, widths.name + 4), pad("CPU", widths.time, .right),
            pad("±", widths.spread, .right), pad("wall", widths.time, .right),
            pad("ratio", widths.ratio, .right),
        ]
        if showsGoals { columns += [pad("goal", widths.goal, .right), "      "] }
        let line = columns.joined(separator: " ")
        return "\n\(line.trimmingTrailingSpaces)\n" + String(repeating: "─", count: line.count)
    }

    /// Returns all rows, with a heading for each engine and size.
    package func rows(of report: Report) -> String {
        var heading = ""
        return report.rows.flatMap { row -> [String] in
            let own = self.heading(engine: row.engine, size: row.size)
            defer { heading = own }
            return own == heading ? [text(of: row)] : [own, text(of: row)]
        }.joined(separator: "\n")
    }

    /// Returns a block of lines: the row's title, then a line for each contender.
    package func text(of row: RowResult) -> String {
        let part = row.part.isEmpty ? "" : ": \(row.part)"
        let unit = row.unit.isEmpty ? "" : "  [per \(row.unit)]"
        let name = showsGoals ? "\(row.workload)  " : ""
        var lines = ["\(name)\(row.title)\(part)\(unit)"]
        if let needs = row.needs { lines.append("    not yet: needs \(needs)") }
        lines += row.contenders.map(line(of:))
        return lines.joined(separator: "\n")
    }

    private func line(of result: ContenderResult) -> String {
        let widths = Self.widths
        var columns = [
            "    " + pad(result.name, widths.name),
            pad(Format.time(nanoseconds: result.cpu.median), widths.time, .right),
            pad(Format.spread(result.cpu.spread), widths.spread, .right),
            pad(Format.time(nanoseconds: result.wall.median), widths.time, .right),
            pad(result.ratio.map { Format.ratio($0.median) } ?? "–", widths.ratio, .right),
        ]
        if showsGoals {
            columns += [pad(result.goal?.text ?? "", widths.goal, .right), verdict(result)]
        }
        if let bytes = result.bytesPerObject { columns.append("\(Format.whole(bytes)) B") }
        return columns.joined(separator: " ").trimmingTrailingSpaces
    }

    private func verdict(_ result: ContenderResult) -> String {
        guard let isMet = result.isGoalMet else { return "" }
        if isMet { return "met   " }
        return usesColor ? "\u{1b}[1;31mMISSED\u{1b}[0m" : "MISSED"
    }

    /// Returns the last line: with goals, the number of goals that were met.
    package func summary(of report: Report) -> String {
        let verdicts = report.rows.flatMap(\.contenders).compactMap(\.isGoalMet)
        let goals =
            showsGoals
            ? "\(verdicts.count { $0 }) goals met, \(verdicts.count { !$0 }) missed. " : ""
        return "\n\(goals)All checksums agree."
    }

    /// Returns the summary of a smoke test: the amount of work that was run.
    package static func smokeSummary(of report: Report) -> String {
        let contests = report.rows.count { !$0.contenders.isEmpty }
        let engines = report.rows.map(\.engine).uniqued.joined(separator: ", ")
        return "\(contests) contests ran on \(engines). All checksums agree."
    }

    /// Returns the rows that were left out on each engine, with reasons. Empty if no row was left out.
    package static func leftOut(of report: Report) -> String {
        let lines = report.leftOutLines
        guard !lines.isEmpty else { return "" }
        return "\nleft out:\n"
            + lines.map { "    \($0)" }.joined(separator: "\n")
    }

    private enum Side {
        case left, right
    }

    private func pad(_ text: String, _ width: Int, _ side: Side = .left) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return side == .left ? text + space : space + text
    }
}

extension String {
    /// The text without trailing spaces.
    var trimmingTrailingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// Rows as a terminal shows them.
public enum TerminalTable {
    /// A block of lines: the row's heading, then a line for each contender.
    public static func text(of row: RowResult) -> String {
        let part = row.part.isEmpty ? "" : ", \(row.part)"
        var lines = [
            "\(row.workload)  \(row.title)\(part) — \(row.engine), \(Format.whole(Double(row.size)))"
        ]
        if let needs = row.needs { lines.append("   not yet: needs \(needs)") }
        lines += row.contenders.map { line(of: $0, unit: row.unit) }
        return lines.joined(separator: "\n")
    }

    private static func line(of result: ContenderResult, unit: String) -> String {
        let goal = result.goal?.text ?? ""
        let verdict = result.isGoalMet.map { $0 ? "met" : "MISSED" } ?? ""
        return [
            "   " + pad(result.name, 28),
            pad(Format.time(nanoseconds: result.cpu.median), 10, .right),
            pad(Format.spread(result.cpu.spread), 7, .right),
            pad(Format.time(nanoseconds: result.wall.median), 10, .right),
            pad(result.ratio.map { Format.ratio($0.median) } ?? "", 7, .right),
            pad(goal, 8, .right), verdict,
        ].joined(separator: " ")
    }

    private enum Side {
        case left, right
    }

    private static func pad(_ text: String, _ width: Int, _ side: Side = .left) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return side == .left ? text + space : space + text
    }
}

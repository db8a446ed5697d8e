/// The overview table and the missed goals, as HTML.
struct OverviewSection {
    let report: Report

    /// The table. Empty if none of its rows was measured.
    var table: String {
        guard let overview = Overview(report) else { return "" }
        let heads = overview.columns.map { "<th>\($0.headline.rawValue)</th>" }.joined()
        let lines = overview.engines.map { engine in
            let cells = overview.columns.map { cell(overview.cell(engine, $0)) }.joined()
            return "<tr><th scope=\"row\">\(engine.escaped)</th>\(cells)</tr>"
        }
        let keys = overview.columns.map { column in
            "<li><b>\(column.headline.rawValue)</b>: \(column.title.escaped) "
                + "(row \(column.workload.escaped))</li>"
        }
        let peers =
            overview.peers.isEmpty
            ? "" : " Below it, in small type: \(overview.peers.joined(separator: ", ").escaped)."
        return """
            <section class="overview">
            <p class="lead">Cairn’s processor time as a multiple of the C library’s: 1.00 is the \
            library itself, and less is better.\(peers) \(Format.whole(Double(overview.size))) objects\(runs).</p>
            <div class="scroll"><table>
            <thead><tr><th></th>\(heads)</tr></thead><tbody>
            \(lines.joined(separator: "\n"))
            </tbody></table></div>
            <ul class="keys">\(keys.joined())</ul>
            </section>
            """
    }

    private var runs: String {
        guard let runs = report.runs, runs > 1 else { return "" }
        return ", medians of \(runs) runs, with the range of the runs"
    }

    private func cell(_ cell: Overview.Cell?) -> String {
        guard let cell else { return "<td>–</td>" }
        func range(_ ratio: Ratio?) -> String {
            (report.runs ?? 1) > 1 ? ratio.map { "<i>\($0.rangeText)</i>" } ?? "" : ""
        }
        let peer = cell.peer.map { peer in
            "<span>\(peer.name.escaped) \(Format.ratio(peer.ratio.median))\(range(peer.ratio))</span>"
        }
        return "<td><b>\(cell.text)</b>\(range(cell.ratio))\(peer ?? "")</td>"
    }

    /// The missed goals, each with an explanation of the remaining time. Empty if all goals were met.
    var missedGoals: String {
        let missed = report.missedGoals
        guard !missed.isEmpty else { return "" }
        let lines = missed.map { goal in
            """
            <tr><td class="who"><b>\(goal.row.workload.escaped)</b> \(goal.row.engine.escaped), \
            \(goal.name.escaped)</td><td class="missed-text">\(goal.measured)</td>\
            <td>\(goal.goal.text)</td></tr>
            """
        }
        let rests = missed.map(\.row).compactMap { row in
            row.about.rest.map {
                "<li><b>\(row.workload.escaped)</b>: \($0.escaped)</li>"
            }
        }.uniqued
        let reasons = rests.isEmpty ? "" : "<ul>\(rests.joined())</ul>"
        return """
            <div class="scroll"><table class="misses">
            <thead><tr><th></th><th>measured</th><th>goal</th></tr></thead><tbody>
            \(lines.joined(separator: "\n"))
            </tbody></table></div>
            \(reasons)
            """
    }
}

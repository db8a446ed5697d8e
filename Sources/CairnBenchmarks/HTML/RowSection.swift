/// One row on every engine: a sentence, charts, and tables of all contenders.
struct RowSection {
    let rows: [RowResult]
    let showsGoals: Bool
    let mainSize: Int

    var html: String {
        guard let row = rows.first else { return "" }
        let name =
            showsGoals ? "<span class=\"name\">\(row.workload.escaped)</span> " : ""
        let charts = rows.map(\.part).uniqued.compactMap { part in
            chart(of: part)
        }
        return """
            <article>
            <h3>\(name)\(row.title.capitalizedFirst.escaped)</h3>
            <p class="method">\(sentence(row.about).escaped)</p>
            <div class="grid">\(charts.joined(separator: "\n"))</div>
            <details><summary>All contenders</summary>
            \(rows.map(table(of:)).joined(separator: "\n"))
            </details>
            </article>
            """
    }

    /// Returns a chart of one part of the row on the engines, or `nil` if the part was not measured at the
    /// report's main size.
    private func chart(of part: String) -> String? {
        let rows = rows.filter { $0.part == part && $0.size == mainSize }
        let isMemory = rows.first?.headline == .memory
        guard var chart = BarChart(rows, isMemory ? .memory : .processorTime) else { return nil }
        (chart.title, chart.method) = (part.capitalizedFirst, "")
        return BarTable(chart: chart).html
    }

    private func sentence(_ about: About) -> String {
        let goal = showsGoals ? " Goal: \(about.goal)." : ""
        return "\(about.heldFixed.capitalizedFirst). \(about.varied.capitalizedFirst).\(goal)"
    }

    private func table(of row: RowResult) -> String {
        let part = row.part.isEmpty ? "" : "\(row.part) · "
        let caption =
            "<b>\(row.engine.escaped)</b> · \(part.escaped)\(Format.whole(Double(row.size))) objects"
            + " · per \(row.unit.escaped) · \(row.durability.escaped)"
        let hasBytes = row.contenders.contains { $0.bytesPerObject != nil }
        let heads =
            ["contender", "processor", "±", "wall", "ratio"] + (showsGoals ? ["goal"] : [])
            + (hasBytes ? ["bytes"] : [])
        let head = heads.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let lines = row.contenders.map { line(of: $0, hasBytes: hasBytes) }
        return """
            <div class="scroll"><table><caption>\(caption)</caption>
            <thead><tr>\(head)</tr></thead><tbody>
            \(lines.joined(separator: "\n"))
            </tbody></table></div>
            """
    }

    private func line(of result: ContenderResult, hasBytes: Bool) -> String {
        var cells = [
            Format.time(nanoseconds: result.cpu.median),
            String(Format.spread(result.cpu.spread).dropFirst()),
            Format.time(nanoseconds: result.wall.median),
            result.ratio.map { Format.ratio($0.median) } ?? "",
        ]
        if showsGoals { cells.append(verdict(of: result)) }
        if hasBytes { cells.append(result.bytesPerObject.map(Format.whole) ?? "") }
        return "<tr><th scope=\"row\">\(result.name.escaped)</th>"
            + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
    }

    private func verdict(of result: ContenderResult) -> String {
        guard let goal = result.goal else { return "" }
        guard let isMet = result.isGoalMet else { return goal.text }
        return "\(goal.text) \(isMet ? "✓" : "✗")"
    }
}

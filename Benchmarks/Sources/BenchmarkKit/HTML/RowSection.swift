/// One row on every engine and size: a description, and a table of its contenders.
struct RowSection {
    let rows: [RowResult]

    var html: String {
        guard let row = rows.first else { return "" }
        let about = row.about
        let tables = rows.map(table(of:)).joined(separator: "\n")
        return """
            <article>
            <h3><span class="name">\(row.workload.escaped)</span> \(row.title.escaped)</h3>
            <dl><dt>Goal</dt><dd>\(about.goal.escaped)</dd><dt>Held fixed</dt>\
            <dd>\(about.heldFixed.escaped)</dd><dt>Varied</dt><dd>\(about.varied.escaped)</dd></dl>
            \(tables)
            </article>
            """
    }

    private func table(of row: RowResult) -> String {
        let part = row.part.isEmpty ? "" : "\(row.part) · "
        let caption =
            "<b>\(row.engine)</b> · \(part.escaped)\(Format.whole(Double(row.size))) objects"
            + " · per \(row.unit.escaped) · \(row.durability.escaped)"
        let most = row.contenders.map(\.cpu.median).max() ?? 1
        let hasBytes = row.contenders.contains { $0.bytesPerObject != nil }
        let heads = ["", "CPU", "±", "wall", "ratio", "goal"] + (hasBytes ? ["bytes"] : [])
        let head = heads.map { "<th>\($0)</th>" }.joined()
        let lines = row.contenders.map { line(of: $0, most: most, hasBytes: hasBytes) }
        return """
            <div class="scroll"><table><caption>\(caption)</caption>
            <thead><tr>\(head)</tr></thead><tbody>
            \(lines.joined(separator: "\n"))
            </tbody></table></div>
            """
    }

    private func line(of result: ContenderResult, most: Double, hasBytes: Bool) -> String {
        let share = most > 0 ? result.cpu.median / most * 100 : 0
        var cells = [
            """
            <td class="who"><span class="bar \(result.role.rawValue)" \
            style="width:\(max(0.5, share).short)%"></span><span>\(result.name.escaped)</span></td>
            """,
            "<td>\(Format.time(nanoseconds: result.cpu.median))</td>",
            "<td>\(Format.spread(result.cpu.spread).dropFirst())</td>",
            "<td>\(Format.time(nanoseconds: result.wall.median))</td>",
            "<td>\(result.ratio.map { Format.ratio($0.median) } ?? "")</td>",
            "<td>\(verdict(of: result))</td>",
        ]
        if hasBytes {
            cells.append("<td>\(result.bytesPerObject.map(Format.whole) ?? "")</td>")
        }
        return "<tr>\(cells.joined())</tr>"
    }

    private func verdict(of result: ContenderResult) -> String {
        guard let goal = result.goal else { return "" }
        guard let isMet = result.isGoalMet else { return goal.text }
        let mark = isMet ? "✓" : "✗"
        return "<span class=\"\(isMet ? "met" : "missed")-text\">\(goal.text) \(mark)</span>"
    }
}

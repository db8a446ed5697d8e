/// A chart as a table: a line for each engine, with a bar and its value.
struct BarTable {
    let chart: BarChart

    var html: String {
        let title = chart.title.isEmpty ? "" : "<b>\(chart.title.escaped)</b> "
        let unit = chart.unit.isEmpty ? "" : "<small>per \(chart.unit.escaped)</small>"
        let head = ["engine", "bar", "value", "multiple of the fastest"]
            .map { "<th scope=\"col\">\($0.escaped)</th>" }.joined()
        let method = chart.method.isEmpty ? "" : "<span>\(chart.method.escaped)</span>"
        return """
            <table class="bars"><caption>\(title)\(unit)\(method)</caption>
            <thead class="hidden"><tr>\(head)</tr></thead><tbody>
            \(chart.bars.map(line).joined(separator: "\n"))
            </tbody></table>
            """
    }

    private func line(_ bar: BarChart.Bar) -> String {
        let isFastest = bar.value == chart.least && chart.bars.count > 1
        let others = bar.marks.map { "\($0.name) \(chart.text(of: $0.value))" }
        let hidden =
            others.isEmpty
            ? "" : "<span class=\"hidden\"> (\(others.joined(separator: ", ").escaped))</span>"
        return """
            <tr\(isFastest ? " class=\"fastest\"" : "")><th scope="row">\(bar.engine.escaped)</th>\
            <td class="track">\(strip(bar))</td>\
            <td>\(chart.text(of: bar.value))\(hidden)</td><td>\(chart.multiple(of: bar))</td></tr>
            """
    }

    /// The bar and its marks, which are drawn to scale. Screen readers read the numbers beside it.
    private func strip(_ bar: BarChart.Bar) -> String {
        let position = chart.position(of: bar.value)
        let marks = bar.marks.compactMap { mark -> String? in
            guard let position = chart.position(of: mark.value) else { return nil }
            let role = mark.isBaseline ? "library" : "peer"
            let tip = "\(mark.name): \(chart.text(of: mark.value))"
            return """
                <i class="\(role)" style="left:\((position * 100).short)%" \
                title="\(tip.escaped)"></i>
                """
        }
        let width = max(0.8, (position ?? 1) * 100).short
        return """
            <div class="strip" aria-hidden="true"><div class="\(position == nil ? "torn" : "whole")" \
            style="width:\(width)%"></div>\(marks.joined())</div>
            """
    }
}

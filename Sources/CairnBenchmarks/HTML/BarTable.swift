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
            \((chart.bars.map(line) + chart.peers.map(line)).joined(separator: "\n"))
            </tbody></table>
            """
    }

    private func line(_ bar: BarChart.Bar) -> String {
        let isFastest = bar.value == chart.least && chart.bars.count > 1
        let others = libraries(bar).map { "\($0.name) \(chart.text(of: $0.value))" }
        let hidden =
            others.isEmpty
            ? "" : "<span class=\"hidden\"> (\(others.joined(separator: ", ").escaped))</span>"
        return """
            <tr\(isFastest ? " class=\"fastest\"" : "")><th scope="row">\(bar.engine.escaped)</th>\
            <td class="track">\(strip(bar))</td>\
            <td>\(chart.text(of: bar.value))\(hidden)</td>\
            <td>\(chart.multiple(of: bar.value))</td></tr>
            """
    }

    private func line(_ peer: BarChart.Mark) -> String {
        """
        <tr><th scope="row">\(peer.name.escaped)</th><td class="track">\
        <div class="strip" aria-hidden="true">\(mark(peer))</div></td>\
        <td>\(chart.text(of: peer.value))</td><td>\(chart.multiple(of: peer.value))</td></tr>
        """
    }

    /// The bar and the mark of the C library, drawn to scale. Screen readers read the numbers beside it.
    private func strip(_ bar: BarChart.Bar) -> String {
        let position = chart.position(of: bar.value)
        let width = max(0.8, (position ?? 1) * 100).short
        return """
            <div class="strip" aria-hidden="true"><div class="\(position == nil ? "torn" : "whole")" \
            style="width:\(width)%"></div>\(libraries(bar).map(mark).joined())</div>
            """
    }

    private func libraries(_ bar: BarChart.Bar) -> [BarChart.Mark] {
        bar.marks.filter(\.isBaseline)
    }

    private func mark(_ mark: BarChart.Mark) -> String {
        guard let position = chart.position(of: mark.value) else { return "" }
        let role = mark.isBaseline ? "library" : "peer"
        let tip = "\(mark.name): \(chart.text(of: mark.value))"
        return """
            <i class="\(role)" style="left:\((position * 100).short)%" title="\(tip.escaped)"></i>
            """
    }
}

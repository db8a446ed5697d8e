/// A report as a self-contained HTML page, with charts as SVG and embedded styles.
public struct HTMLReport {
    private let report: Report

    /// Creates the page of a report.
    public init(_ report: Report) {
        self.report = report
    }

    /// The HTML text.
    public var text: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Cairn benchmarks</title>
        <style>
        \(HTMLStyle.sheet)
        </style>
        </head>
        <body>
        <header>
        <h1>Cairn benchmarks</h1>
        \(facts)
        </header>
        <main>
        \(OverviewSection(report: report).table)
        \(tiles)
        \(sections.joined(separator: "\n"))
        \(method)
        </main>
        </body>
        </html>

        """
    }

    private var facts: String {
        let machine = report.machine
        let libraries = machine.libraries.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let lines = [
            "\(report.date.prefix(10)) · \(machine.processor), \(machine.cores) cores",
            machine.system, libraries,
        ]
        return lines.map { "<p class=\"facts\">\($0.escaped)</p>" }.joined(separator: "\n")
    }

    // MARK: Overview

    private var tiles: String {
        let verdicts = report.rows.flatMap(\.contenders).compactMap(\.isGoalMet)
        let waiting = Set(report.rows.filter { $0.needs != nil }.map(\.workload)).count
        let sizes = Set(report.rows.map(\.size)).sorted().map { Format.whole(Double($0)) }
        let tiles = [
            ("\(verdicts.count { $0 }) of \(verdicts.count)", "goals met"),
            ("\(Set(report.rows.map(\.workload)).count - waiting)", "rows measured"),
            ("\(Set(report.rows.map(\.engine)).count)", "engines"),
            (sizes.joined(separator: " · "), "objects"),
        ]
        let boxes = tiles.map { "<div class=\"tile\"><b>\($0.0)</b><span>\($0.1)</span></div>" }
        return "<div class=\"tiles\">\(boxes.joined())</div>"
    }

    private var sections: [String] {
        [missed, goals, engines, growth, rows, waiting, leftOut].filter { !$0.isEmpty }
    }

    private var missed: String {
        let table = OverviewSection(report: report).missedGoals
        return table.isEmpty ? "" : section("Goals missed", "", table)
    }

    private var goals: String {
        let points = report.rows.flatMap { row in
            row.contenders.compactMap { GoalChart.Point($0, of: row) }
        }
        guard !points.isEmpty else { return "" }
        return section(
            "Goals",
            """
            Each measurement over its goal: left of the line is better. The bar behind a point \
            holds the median with at least 95 % confidence.
            """,
            "<div class=\"grid wide\">"
                + points.map(\.group).uniqued.map { group in
                    let points = points.filter { $0.group == group }
                    return "<figure><figcaption><b>\(group.escaped)</b></figcaption>"
                        + GoalChart(points: points).svg + "</figure>"
                }.joined(separator: "\n") + "</div>")
    }

    // MARK: Engines side by side

    private var engines: String {
        let size = report.mainSize
        let charts = report.workloadNames.compactMap { name -> String? in
            let rows = report.rows.filter { $0.workload == name && $0.size == size }
            let parts = Dictionary(grouping: rows, by: \.part)
            let charts = rows.map(\.part).uniqued.compactMap { part in
                EngineChart(rows: parts[part] ?? [])?.svg
            }
            guard !charts.isEmpty, let row = rows.first else { return nil }
            return """
                <figure class="small"><figcaption><b>\(row.workload.escaped)</b> \
                \(row.title.escaped)</figcaption>\(charts.joined())</figure>
                """
        }
        guard !charts.isEmpty else { return "" }
        return section(
            "Engines side by side",
            """
            Cairn's processor time for one operation, at \(Format.whole(Double(size))) objects. \
            Each picture has its own scale. What a save survives differs between engines: see the \
            rows.
            """,
            "<div class=\"grid\">\(charts.joined(separator: "\n"))</div>")
    }

    private var growth: String {
        guard Set(report.rows.map(\.size)).count > 1 else { return "" }
        let charts = report.workloadNames.flatMap { name -> [String] in
            let rows = report.rows.filter { $0.workload == name }
            return rows.map(\.part).uniqued.compactMap { part in
                let rows = rows.filter { $0.part == part }
                guard let chart = GrowthChart(rows: rows), let row = rows.first else { return nil }
                let suffix = part.isEmpty ? "" : ": \(part)"
                return """
                    <figure class="small"><figcaption><b>\(row.workload.escaped)</b> \
                    \((row.title + suffix).escaped)</figcaption>\(chart.svg)</figure>
                    """
            }
        }
        guard !charts.isEmpty else { return "" }
        return section(
            "Growth",
            """
            Processor time for one operation over the number of objects, both logarithmic. Dashed: \
            the C library. What does not grow is level.
            """,
            "<div class=\"grid\">\(charts.joined(separator: "\n"))</div>")
    }

    // MARK: Everything

    private var rows: String {
        let measured = report.rows.filter { $0.needs == nil }
        let blocks = measured.map(\.workload).uniqued.map { name in
            RowSection(rows: measured.filter { $0.workload == name }).html
        }
        return section(
            "Every row",
            """
            Medians of processor and wall time for one operation. The ratio is that of processor \
            time to the C library's, where there is one.
            """,
            blocks.joined(separator: "\n"))
    }

    private var waiting: String {
        let rows = report.rows.filter { $0.needs != nil }
        let items = rows.map(\.workload).uniqued.compactMap { name in
            rows.first { $0.workload == name }
        }.map { row in
            "<li><b>\(row.workload.escaped)</b> \(row.title.escaped): needs "
                + "\((row.needs ?? "").escaped)</li>"
        }
        guard !items.isEmpty else { return "" }
        return section("Not yet", "", "<ul>\(items.joined())</ul>")
    }

    private var leftOut: String {
        let items = report.leftOutLines.map { line in
            "<li><b>\(line.rows.escaped)</b> on \(line.engines.escaped): "
                + "\(line.because.escaped)</li>"
        }
        guard !items.isEmpty else { return "" }
        return section("Left out", "", "<ul>\(items.joined())</ul>")
    }

    private var method: String {
        section(
            "How it was measured", "",
            """
            <p>All contenders of a row run in one process, in interleaved rounds: \(report.rounds) \
            are counted, fewer where a row takes long. A time is the median over the rounds; what \
            counts is the ratio of medians of processor time. Before times are shown, what every \
            contender read, or what its store holds afterwards, was compared by checksum. Saves \
            of all contenders of a row are equally durable.</p>
            """)
    }

    private func section(_ title: String, _ lead: String, _ body: String) -> String {
        let lead = lead.isEmpty ? "" : "<p class=\"lead\">\(lead)</p>\n"
        return "<section>\n<h2>\(title)</h2>\n\(lead)\(body)\n</section>"
    }
}

extension Report {
    /// The largest of the sizes at which most rows were measured.
    var mainSize: Int {
        let counts = Dictionary(grouping: rows, by: \.size).mapValues(\.count)
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    }

    /// The names of the rows, without duplicates.
    var workloadNames: [String] { rows.map(\.workload).uniqued }
}

extension Array where Element: Hashable {
    /// The elements in order, without duplicates.
    var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

extension String {
    /// The text with HTML's special characters escaped.
    var escaped: String {
        var text = ""
        for character in self {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.append(character)
            }
        }
        return text
    }
}

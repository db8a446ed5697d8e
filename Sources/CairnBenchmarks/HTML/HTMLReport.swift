/// A report as a self-contained HTML page. It begins with one screen for a person who chooses an engine.
package struct HTMLReport {
    private let report: Report
    private let showsGoals: Bool

    /// Creates the page of a report.
    ///
    /// - Parameter showsGoals: Whether the rows' names and goals are shown.
    package init(_ report: Report, showsGoals: Bool = false) {
        self.report = report
        self.showsGoals = showsGoals
    }

    /// The HTML text.
    package var text: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Cairn’s engines, measured</title>
        <style>
        \(HTMLStyle.sheet)
        </style>
        </head>
        <body>
        <header>
        <h1>Cairn’s engines, measured</h1>
        <p class="facts">\(facts.escaped)</p>
        </header>
        <main>
        \(sections.filter { !$0.isEmpty }.joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    private var facts: String {
        let machine = report.machine
        let sizes = Set(report.rows.map(\.size)).sorted().map { Format.whole(Double($0)) }
        let runs = (report.runs ?? 1) > 1 ? ", medians of \(report.runs ?? 1) runs" : ""
        return "\(sizes.joined(separator: ", ")) objects · \(report.date.prefix(10))\(runs) · "
            + "\(machine.processor), \(machine.cores) cores"
    }

    private var sections: [String] {
        [firstScreen, growth, readersAndSavers, files, rows, waiting, leftOut, method]
    }

    // MARK: First screen

    private var firstScreen: String {
        guard let overview = Overview(report) else { return "" }
        let size = Format.whole(Double(overview.size))
        let time = "Processor time of one operation with \(size) objects; shorter is better."
        return """
            <section class="first">
            \(choices(overview.choices))
            <p class="legend">\(time) \(legend(overview))</p>
            \(grid(overview.columns.map(\.chart)))
            </section>
            """
    }

    private func choices(_ choices: [Overview.Choice]) -> String {
        guard !choices.isEmpty else { return "" }
        let lines = choices.map { choice in
            let others = choice.engines.dropFirst().map { engine in
                let multiple = engine.multiple.map { " \(Format.multiple($0))" } ?? ""
                return "<span>\(engine.name.escaped)\(multiple)</span>"
            }
            return """
                <tr><th scope="row">\(choice.need.escaped)</th>\
                <td><b>\(choice.engines[0].name.escaped)</b></td>\
                <td>\(others.joined(separator: ", "))</td>\
                <td>\(choice.basis.escaped)</td></tr>
                """
        }
        return """
            <table class="choices"><thead><tr><th scope="col">A program that …</th>\
            <th scope="col">is fastest with</th><th scope="col">the others take</th>\
            <th scope="col">measured by</th></tr></thead>
            <tbody>
            \(lines.joined(separator: "\n"))
            </tbody></table>
            """
    }

    private func legend(_ overview: Overview) -> String {
        let marks = overview.marks.map { mark in
            let what =
                mark.name == BarChart.baselineName
                ? "the same work in C, with the engine’s library if it has one" : mark.name
            let role = mark.isBaseline ? "library" : "peer"
            return "<span><i class=\"\(role)\"></i>\(what.escaped)</span>"
        }
        return
            (marks + [
                "<span><i class=\"torn\"></i>longer than the scale</span>",
                "<span>2.0×: twice the fastest engine with files, which is bold</span>",
            ]).joined(separator: " ")
    }

    // MARK: Sections

    private var growth: String {
        // Without the first screen's rows, such as for a user's own store, there is only one size.
        guard Overview(report) != nil else { return "" }
        let sizes = Set(report.rows.map(\.size))
        guard sizes.count > 1 else {
            let text =
                "This run has one size. Use <code>--size 10000 100000 1000000</code> to see growth."
            return section("Growth", text, "")
        }
        let timed = report.rows.filter { $0.headline != nil && $0.headline != .memory }
        let shown = timed + report.rows.filter(\.isAboutGrowth)
        let charts = shown.map(\.workload).uniqued.flatMap { name -> [String] in
            let rows = shown.filter { $0.workload == name }
            return rows.map(\.part).uniqued.compactMap { part in
                let rows = rows.filter { $0.part == part }
                guard let chart = GrowthChart(rows: rows), let row = rows.first else { return nil }
                let title = row.headline?.title ?? row.title.capitalizedFirst
                return
                    "<figure><figcaption><b>\(title.escaped)</b></figcaption>\(chart.svg)</figure>"
            }
        }
        return section(
            "Growth",
            """
            Processor time of one operation by the number of objects; both scales are logarithmic. Dashed: \
            the baseline. A level line does not grow.
            """, "<div class=\"grid\">\(charts.joined(separator: "\n"))</div>")
    }

    private var readersAndSavers: String {
        let names = ["readers", "savers"]
        let rows = report.rows.filter { $0.size == report.mainSize && names.contains($0.workload) }
        let charts = names.flatMap { rows.charts(of: $0, .wallTime) }
        guard !charts.isEmpty else { return "" }
        let methods = rows.map { "\($0.about.heldFixed.capitalizedFirst)." }.uniqued
        return section(
            "Many readers and savers",
            "Elapsed time, not processor time. \(methods.joined(separator: " ").escaped)",
            grid(charts))
    }

    private var files: String {
        let rows = report.rows.filter { $0.size == report.mainSize }
        var charts = rows.charts(of: "copy", .processorTime).map { chart in
            var chart = chart
            chart.title = "Copy \(chart.title.prefix(1).lowercased())\(chart.title.dropFirst())"
            return chart
        }
        if var size = BarChart(rows.filter { $0.headline == .saveMany }, .file) {
            (size.title, size.method) = (
                "Size of the store’s files", "after all objects were created"
            )
            charts.insert(size, at: 0)
        }
        guard !charts.isEmpty || report.engines != nil else { return "" }
        return section("Files", "", properties + grid(charts))
    }

    /// What each engine declares, and what a completed save survives in the rows.
    private var properties: String {
        guard let engines = report.engines else { return "" }
        let heads = [
            "engine", "a completed save survives", "a save writes", "processes at a time", "file",
        ].map { "<th scope=\"col\">\($0)</th>" }.joined()
        let lines = engines.map { facts in
            let saved = report.rows.first { $0.engine == facts.engine && $0.headline == .save }
            let cells = [
                saved?.durability ?? "",
                facts.isDurable ? facts.rewritesWholeFile ? "the whole file" : "what changed" : "–",
                facts.isDurable && facts.isShared ? "several" : "one",
                facts.isDurable ? facts.isText ? "text" : "binary" : "none",
            ].map { "<td>\($0.escaped)</td>" }.joined()
            return "<tr><th scope=\"row\">\(facts.engine.escaped)</th>\(cells)</tr>"
        }
        return """
            <div class="scroll"><table class="properties"><thead><tr>\(heads)</tr></thead><tbody>
            \(lines.joined(separator: "\n"))
            </tbody></table></div>
            """
    }

    private var rows: String {
        let measured = report.rows.filter { $0.needs == nil }
        let blocks = measured.map(\.workload).uniqued.map { name in
            RowSection(
                rows: measured.filter { $0.workload == name }, showsGoals: showsGoals,
                mainSize: report.mainSize
            ).html
        }
        return section(
            "Every row",
            "Each row with what it holds fixed, what varies, and the fastest way with each engine.",
            blocks.joined(separator: "\n"))
    }

    private var waiting: String {
        let rows = report.rows.filter { $0.needs != nil }
        return list(
            "Not yet",
            rows.map { "\($0.title.capitalizedFirst): needs \($0.needs ?? "")" }.uniqued)
    }

    private var leftOut: String { list("Left out", report.leftOutLines) }

    private var method: String {
        let machine = report.machine
        let libraries = machine.libraries.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return section(
            "How it was measured", "",
            """
            <p>All contenders of a row run in one process, in interleaved rounds: \(report.rounds) are counted, \
            fewer if a row takes long. A time is the median over the rounds. What every contender read, or what \
            its store holds afterwards, was compared by checksum. Saves of all contenders of a row are \
            equally durable.</p>
            <p>\(machine.system.escaped) · \(libraries.escaped)</p>
            """)
    }

    // MARK: Elements

    private func grid(_ charts: [BarChart]) -> String {
        "<div class=\"grid\">\(charts.map { BarTable(chart: $0).html }.joined(separator: "\n"))</div>"
    }

    private func list(_ title: String, _ items: [String]) -> String {
        guard !items.isEmpty else { return "" }
        return section(
            title, "", "<ul>\(items.map { "<li>\($0.escaped)</li>" }.joined())</ul>")
    }

    private func section(_ title: String, _ lead: String, _ body: String) -> String {
        let lead = lead.isEmpty ? "" : "<p class=\"lead\">\(lead)</p>\n"
        return "<section>\n<h2>\(title)</h2>\n\(lead)\(body)\n</section>"
    }
}

extension RowResult {
    /// Whether the row exists to be measured at several sizes.
    fileprivate var isAboutGrowth: Bool { workload.hasPrefix("grow-") }
}

extension Report {
    /// The largest of the sizes at which most rows were measured.
    var mainSize: Int {
        let counts = Dictionary(grouping: rows, by: \.size).mapValues(\.count)
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    }
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

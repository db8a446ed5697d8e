import Foundation

/// The overview table of a report in Markdown, to be quoted in a document.
public struct MarkdownOverview {
    private static let begin = "<!-- figures: begin; written by --keep-table -->"
    private static let end = "<!-- figures: end -->"

    private let report: Report

    /// Creates the table of a report.
    public init(_ report: Report) { self.report = report }

    /// The table, and where it was measured. Empty if none of its rows was measured.
    public var text: String {
        guard let overview = Overview(report) else { return "" }
        let names = overview.columns.map(\.headline.rawValue)
        var lines = [
            "| | \(names.joined(separator: " | ")) |",
            "|---|" + String(repeating: "--:|", count: names.count),
        ]
        lines += overview.engines.map { engine in
            "| \(engine) | "
                + overview.columns.map { cell(engine, $0.chart) }
                .joined(separator: " | ") + " |"
        }
        lines += ["", source(overview), ""]
        lines += overview.columns.map { column in
            "- \(column.headline.rawValue): \(column.chart.method) (row \(column.workload))"
        }
        return lines.joined(separator: "\n")
    }

    private func cell(_ engine: String, _ chart: BarChart) -> String {
        guard let bar = chart.bars.first(where: { $0.engine == engine }) else { return "–" }
        let isRepeated = (report.runs ?? 1) > 1
        func spread(_ ratio: Ratio?) -> String {
            isRepeated ? ratio.map { " \($0.rangeText)" } ?? "" : ""
        }
        let peers = bar.marks.filter { $0.name != BarChart.baselineName }.compactMap { peer in
            peer.ratio.map { "; \(peer.name) \(Format.ratio($0.median))\(spread($0))" }
        }
        let text = bar.ratio.map { Format.ratio($0.median) } ?? chart.text(of: bar.value)
        return "**\(text)**\(spread(bar.ratio))\(peers.joined())"
    }

    private func source(_ overview: Overview) -> String {
        let machine = report.machine
        let runs = report.runs ?? 1
        let figures =
            runs > 1
            ? "Each figure is the median of \(runs) runs; the range is that of the runs."
            : "Figures of one run, which is too few to quote: use `--repeat 3`."
        return "\(Format.whole(Double(overview.size))) objects, \(report.date.prefix(10)), "
            + "\(machine.processor), \(machine.cores) cores. \(figures)"
    }

    /// Replaces the table between the two marker comments in a file.
    ///
    /// - Throws: ``MissingMarkers`` if the file has no such comments, or an error if the file cannot be read
    ///   or written.
    public func write(into url: URL) throws {
        var text = try String(contentsOf: url, encoding: .utf8)
        guard let begin = text.range(of: Self.begin),
            let end = text.range(of: Self.end, range: begin.upperBound..<text.endIndex)
        else { throw MissingMarkers(path: url.path, begin: Self.begin, end: Self.end) }
        text.replaceSubrange(begin.upperBound..<end.lowerBound, with: "\n\(self.text)\n")
        try Data(text.utf8).write(to: url, options: .atomic)
    }
}

/// The error for a file without marker comments for the table.
public struct MissingMarkers: Error, CustomStringConvertible {
    var path: String
    var begin: String
    var end: String

    /// A description of the problem, and advice.
    public var description: String {
        "\(path) does not say where the table goes: put “\(begin)” and “\(end)” into it."
    }
}

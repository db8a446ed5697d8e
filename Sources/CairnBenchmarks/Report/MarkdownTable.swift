import Foundation

/// The ratios of a report as a table in Markdown, to be quoted in a page, and the reason of each row.
///
/// A column has the figures of an engine, or those of the best contender of a peer. A cell has a figure for each
/// size. The table's figures are kept beside the page as JSON, so that a test can compare the two.
package struct MarkdownTable: Codable {
    private static let begin = "<!-- figures: begin; written by --keep-table -->"
    private static let end = "<!-- figures: end -->"

    private let columns: [String]
    private let sizes: [Int]
    private let source: String
    private let rows: [Row]

    /// A row of the benchmark. It has a line for each part and each of Cairn's ways.
    private struct Row: Codable {
        var workload: String
        var title: String
        var reason: String?
        var lines: [Line]
    }

    private struct Line: Codable {
        /// The part and the way. Empty if the row has only one of each.
        var detail: String
        /// Whether the figures are nanoseconds instead of ratios.
        var isTime: Bool
        /// A cell for each column.
        var cells: [Cell]
    }

    private struct Cell: Codable {
        /// A figure for each size.
        var figures: [Double?]
        /// Whether the goal is met at the largest size. `nil` if there is no goal.
        var isGoalMet: Bool?

        func text(isTime: Bool) -> String {
            guard figures.contains(where: { $0 != nil }) else { return "–" }
            let texts = figures.map { figure in
                figure.map { isTime ? Format.time(nanoseconds: $0) : Format.ratio($0) } ?? "–"
            }
            return texts.joined(separator: " / ") + (isGoalMet.map { $0 ? " ✓" : " ✗" } ?? "")
        }
    }

    /// Creates the table of a report.
    package init(_ report: Report) {
        let engines = report.rows.map(\.engine).uniqued
        let peers = report.rows.flatMap(\.contenders).filter { $0.role == .peer }.map(\.markName)
            .uniqued
        let sizes = report.rows.map(\.size).uniqued
        columns = engines + peers
        self.sizes = sizes
        source = Self.source(of: report)
        rows = report.rows.map(\.workload).uniqued.compactMap { workload in
            let results = report.rows.filter { $0.workload == workload }
            let lines = results.map(\.part).uniqued.flatMap { part in
                Self.lines(of: results.filter { $0.part == part }, sizes, engines, peers)
            }
            guard let first = results.first, !lines.isEmpty else { return nil }
            return Row(
                workload: workload, title: first.title, reason: first.about.rest, lines: lines)
        }
    }

    /// Returns the lines of a part of a row.
    private static func lines(
        of results: [RowResult], _ sizes: [Int], _ engines: [String], _ peers: [String]
    ) -> [Line] {
        let ours = results.flatMap(\.contenders).filter { $0.role == .ours }
        let isTime = ours.contains { $0.isTimed }
        func cell(_ contender: (RowResult) -> ContenderResult?) -> Cell {
            let chosen = sizes.map { size in
                results.lazy.filter { $0.size == size }.compactMap(contender).first
            }
            return Cell(
                figures: chosen.map { isTime ? $0?.cpu.median : $0?.ratio?.median },
                isGoalMet: chosen.last??.isGoalMet)
        }
        return ours.map(\.name).uniqued.map { name in
            let details = [results.first?.part, name == "Cairn" ? nil : name.withoutCairn]
            let cells =
                engines.map { engine in
                    cell { row in
                        row.engine == engine ? row.contenders.first { $0.name == name } : nil
                    }
                } + peers.map { peer in cell { $0.best(of: peer) } }
            return Line(
                detail: details.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", "),
                isTime: isTime, cells: cells)
        }
    }

    private static func source(of report: Report) -> String {
        let machine = report.machine
        let runs = report.runs.map { ", the median of \($0) runs" } ?? ""
        return "Measured on \(report.date.prefix(10)), \(machine.processor), "
            + "\(machine.cores) cores, \(report.rounds) rounds\(runs)."
    }

    /// The table, where it was measured, and the reasons.
    package var text: String {
        let sizes = sizes.map { Format.whole(Double($0)) }.joined(separator: " / ")
        let lines = rows.flatMap { row in
            row.lines.map { line in
                let title = [row.title, line.detail].filter { !$0.isEmpty }.joined(separator: ": ")
                let cells = line.cells.map { $0.text(isTime: line.isTime) }
                return "| \(title) | \(cells.joined(separator: " | ")) |"
            }
        }
        let reasons = rows.compactMap { row in
            row.reason.map { "- **\(row.title)** (`\(row.workload)`): \($0)" }
        }
        return
            ([
                "| \(sizes) objects | \(columns.joined(separator: " | ")) |",
                "|---|" + String(repeating: "--:|", count: columns.count),
            ] + lines + ["", source, ""] + reasons).joined(separator: "\n")
    }

    /// Replaces the table between the two marker comments in a page, and writes the figures beside it:
    /// `performance.json` for `performance.md`.
    ///
    /// - Throws: ``MissingMarkers`` if the page has no such comments, or an error if a file cannot be read
    ///   or written.
    package func write(into page: URL) throws {
        var text = try String(contentsOf: page, encoding: .utf8)
        guard let old = Self.range(in: text) else {
            throw MissingMarkers(path: page.path, begin: Self.begin, end: Self.end)
        }
        text.replaceSubrange(old, with: "\n\(self.text)\n")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let figures = try encoder.encode(self) + Data("\n".utf8)
        try Data(text.utf8).write(to: page, options: .atomic)
        try figures.write(
            to: page.deletingPathExtension().appendingPathExtension("json"), options: .atomic)
    }

    /// Returns the table between a page's marker comments. Returns `nil` if the page has no such comments.
    static func table(of page: String) -> String? {
        range(in: page).map { page[$0].trimmingCharacters(in: .newlines) }
    }

    private static func range(in text: String) -> Range<String.Index>? {
        guard let begin = text.range(of: begin),
            let end = text.range(of: end, range: begin.upperBound..<text.endIndex)
        else { return nil }
        return begin.upperBound..<end.lowerBound
    }
}

extension ContenderResult {
    /// Whether the time of the contender says more than a ratio: its goal is a time, or there is no baseline.
    fileprivate var isTimed: Bool {
        if case .nanoseconds = goal { return true }
        return ratio == nil
    }
}

extension RowResult {
    /// Returns the fastest contender of a peer, or `nil` if the peer was not measured.
    fileprivate func best(of peer: String) -> ContenderResult? {
        contenders.filter { $0.role == .peer && $0.markName == peer }
            .min { $0.cpu.median < $1.cpu.median }
    }
}

/// The error for a file without marker comments for the table.
package struct MissingMarkers: Error, CustomStringConvertible {
    var path: String
    var begin: String
    var end: String

    /// A description of the problem, and advice.
    package var description: String {
        "\(path) does not say where the table goes: put “\(begin)” and “\(end)” into it."
    }
}

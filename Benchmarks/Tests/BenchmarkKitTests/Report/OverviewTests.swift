import Foundation
import Testing

@testable import BenchmarkKit

@Suite struct `First table of a report` {
    private let report = Report.fixture(
        [120], peers: ["GRDB, slow way": 400, "GRDB, fast way": 200], headline: .fault)

    @Test func `shows the best ratio of Cairn and of a peer`() throws {
        let overview = try #require(Overview(report))

        let cell = try #require(overview.cell("SQLite", overview.columns[0]))
        #expect(overview.columns.map(\.headline) == [.fault])
        #expect(cell.text == "1.20")
        #expect(cell.peer?.name == "GRDB")
        #expect(cell.peer?.ratio.median == 2)
    }

    @Test func `shows a time if there is nothing to compare with`() throws {
        let report = Report.fixture([120], hasBaseline: false, headline: .save)

        let overview = try #require(Overview(report))

        #expect(overview.cell("SQLite", overview.columns[0])?.text == "120 ns")
    }

    @Test func `is absent if none of its rows was measured`() {
        let report = Report.fixture([120])

        #expect(Overview(report) == nil)
        #expect(TerminalOverview(report).table.isEmpty)
    }

    @Test func `has a dash for an engine without the row`() {
        var report = report
        var other = Report.fixture([300], headline: .open).rows[0]
        other.engine = "LMDB"
        report.rows.append(other)

        let lines = TerminalOverview(report).table.split(separator: "\n")

        #expect(lines.contains { $0.wholeMatch(of: /SQLite +1.20 \(2.00\) +–/) != nil })
        #expect(lines.contains { $0.wholeMatch(of: /LMDB +– +3.00/) != nil })
    }

    @Test func `shows by how little a goal was missed`() {
        let report = Report.fixture([100.4], goal: .ratio(1), headline: .fault)

        #expect(report.missedGoals.map(\.measured) == ["1.004"])
    }

    @Test func `is followed by the missed goals, and what the remaining time consists of`() {
        let report = Report.fixture([200], headline: .fault, rest: "half of it is a lock")

        let text = TerminalOverview(report).missedGoals

        #expect(text.contains("A   SQLite   2.00   ≤ 1.50   does something"))
        #expect(text.contains("A: half of it is a lock"))
    }

    @Test func `comes first on the page`() throws {
        let page = HTMLReport(report).text

        let table = try #require(page.range(of: "class=\"overview\""))
        let tiles = try #require(page.range(of: "class=\"tiles\""))
        #expect(table.lowerBound < tiles.lowerBound)
    }

    @Test func `replaces the table in a text, and nothing else`() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("readme-\(UUID().uuidString).md")
        defer { try? FileManager.default.removeItem(at: url) }
        let begin = "before\n<!-- figures: begin; written by --keep-table -->"
        let end = "<!-- figures: end -->\nafter\n"
        try "\(begin)\nold\n\(end)".write(to: url, atomically: true, encoding: .utf8)

        try MarkdownOverview(report).write(into: url)

        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(text.hasPrefix(begin) && text.hasSuffix(end))
        #expect(text.contains("| SQLite | **1.20**; GRDB 2.00 |"))
        #expect(!text.contains("old"))
    }

    @Test func `is not written into a text without its markers`() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("readme-\(UUID().uuidString).md")
        defer { try? FileManager.default.removeItem(at: url) }
        try "text".write(to: url, atomically: true, encoding: .utf8)

        #expect(throws: MissingMarkers.self) { try MarkdownOverview(report).write(into: url) }
    }
}

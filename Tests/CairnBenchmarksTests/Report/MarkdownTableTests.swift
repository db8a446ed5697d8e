import Foundation
import Testing

@testable import CairnBenchmarks

@Suite struct `Table of a report in a page` {
    private let report = Report.fixture(
        [120, 110, 130], peers: ["GRDB, by a record": 200, "GRDB, by a statement": 170],
        rest: "objects")

    @Test func `has a line for each row, a column for each engine and peer, and reasons`() {
        let text = MarkdownTable(report).text

        let expected = """
            | 10,000 objects | SQLite | GRDB |
            |---|--:|--:|
            | does something | 1.20 ✓ | 1.70 |

            Measured on 2026-11-21, <fast> & small, 2 cores, 3 rounds.

            - **does something** (`A`): objects
            """
        #expect(text == expected)
    }

    @Test func `has a figure for each size, and the goal's mark for the largest`() {
        var sizes = report
        sizes.rows += Report.fixture([180], size: 100_000).rows

        let lines = MarkdownTable(sizes).text.split(separator: "\n")

        #expect(lines[0] == "| 10,000 / 100,000 objects | SQLite | GRDB |")
        #expect(lines[2] == "| does something | 1.20 / 1.80 ✗ | 1.70 / – |")
    }

    @Test func `has times if the goal is a time or if there is no baseline`() {
        let timed = MarkdownTable(Report.fixture([120], goal: .nanoseconds(250))).text
        let alone = MarkdownTable(Report.fixture([120], hasBaseline: false, goal: nil)).text

        #expect(timed.contains("| does something | 120 ns ✓ |"))
        #expect(alone.contains("| does something | 120 ns |"))
    }

    @Test func `has a line for each of Cairn's ways and each part`() {
        var parts = report
        var other = parts.rows[0]
        other.part = "IDs"
        other.contenders[1].name = "Cairn, prefetched"
        parts.rows.append(other)

        let text = MarkdownTable(parts).text

        #expect(text.contains("\n| does something | 1.20"))
        #expect(text.contains("\n| does something: IDs, prefetched | 1.20"))
        #expect(text.components(separatedBy: "(`A`)").count == 2)
    }

    @Test func `replaces the table in a page, and nothing else, and keeps the figures`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let page = folder.appendingPathComponent("page.md")
        let begin = "before\n<!-- figures: begin; written by --keep-table -->"
        let end = "<!-- figures: end -->\nafter\n"
        try Data("\(begin)\nold\n\(end)".utf8).write(to: page)

        try MarkdownTable(report).write(into: page)

        let text = try String(contentsOf: page, encoding: .utf8)
        let kept = try figures(beside: page)
        #expect(text == "\(begin)\n\(MarkdownTable(report).text)\n\(end)")
        #expect(kept.text == MarkdownTable(report).text)
    }

    @Test func `is not written into a page without its markers`() throws {
        let page = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).md")
        defer { try? FileManager.default.removeItem(at: page) }
        try Data("text".utf8).write(to: page)

        #expect(throws: MissingMarkers.self) { try MarkdownTable(report).write(into: page) }
    }

    @Test func `on the page about performance is that of the kept figures`() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/performance.md").standardizedFileURL

        let table = MarkdownTable.table(of: try String(contentsOf: page, encoding: .utf8))
        let kept = try figures(beside: page)

        #expect(table == kept.text)
    }

    private func figures(beside page: URL) throws -> MarkdownTable {
        let url = page.deletingPathExtension().appendingPathExtension("json")
        return try JSONDecoder().decode(MarkdownTable.self, from: Data(contentsOf: url))
    }
}

import Foundation
import Testing

@testable import CairnBenchmarks

@Suite struct `First screen of a report` {
    private let report = Report.fixture(
        [120], peers: ["GRDB, slow way": 400, "GRDB, fast way": 200], headline: .fault)

    /// Returns a report on three engines with these times for saving one object, and for opening.
    private static func report(_ saving: [String: Double], facts: [EngineFacts] = []) -> Report {
        var report = Report.fixture([1], headline: .open)
        report.rows = saving.sorted { $0.key < $1.key }.map { engine, time in
            var row = Report.fixture([time], headline: .save).rows[0]
            row.engine = engine
            return row
        }
        report.engines = facts
        return report
    }

    private static func facts(
        _ engine: String, isDurable: Bool = true, isText: Bool = false
    ) -> EngineFacts {
        EngineFacts(
            engine: engine, isDurable: isDurable, isShared: isDurable,
            rewritesWholeFile: isText, isText: isText)
    }

    @Test func `marks the C library and the fastest way of a peer`() throws {
        let overview = try #require(Overview(report))

        let bar = try #require(overview.columns[0].chart.bars.first)
        #expect(overview.columns.map(\.headline) == [.fault])
        #expect(bar.value == 120)
        #expect(bar.marks.map(\.name) == ["C", "GRDB"])
        #expect(bar.marks.map(\.value) == [100, 200])
        #expect(overview.columns[0].chart.peers.map(\.value) == [200])
    }

    @Test func `shows the memory of an object in bytes`() throws {
        let report = Report.fixture([120], bytes: 267, headline: .memory)

        let chart = try #require(Overview(report)).columns[0].chart

        #expect(chart.text(of: chart.bars[0].value) == "267 B")
    }

    @Test func `is absent if none of its rows was measured`() {
        let report = Report.fixture([120])

        #expect(Overview(report) == nil)
        #expect(TerminalOverview(report).text.isEmpty)
    }

    @Test func `tears the bars that are far longer than the others`() throws {
        let report = Self.report(["A": 400, "B": 410, "C": 17_000, "D": 362_000])

        let chart = try #require(Overview(report)).columns[0].chart

        #expect(chart.end == 410)
        #expect(
            chart.bars.map { chart.position(of: $0.value) == nil } == [false, false, true, true])
        #expect(chart.bars.map { chart.multiple(of: $0.value) } == ["", "1.0×", "43×", "905×"])
    }

    @Test func `names the fastest engine for a need, among those that meet it`() throws {
        let report = Self.report(
            ["Fast": 100, "Text": 900, "Volatile": 10],
            facts: [
                Self.facts("Text", isText: true), Self.facts("Fast"),
                Self.facts("Volatile", isDurable: false),
            ])

        let overview = try #require(Overview(report))

        let choices = overview.choices
        let chart = overview.columns[0].chart
        let engines = Dictionary(uniqueKeysWithValues: choices.map { ($0.need, $0.engines) })
        let edits = try #require(engines["saves after each edit"])
        #expect(edits.map(\.name) == ["Fast", "Text"])
        #expect(edits.compactMap(\.multiple).map(Format.multiple) == ["1.0×", "9.0×"])
        #expect(engines["needs a file to read and diff"]?.map(\.name) == ["Text"])
        #expect(engines["keeps nothing: a cache, tests"]?.map(\.name) == ["Volatile"])
        // An engine without files is no measure for the others.
        #expect(chart.bars.map { chart.multiple(of: $0.value) } == ["", "9.0×", "0.1×"])
    }

    @Test func `fits into a terminal with 80 columns`() {
        let names = ["SQLite", "LMDB", "Binary", "XML", "InMemory", "Folder", "Log"]
        let times = zip(names, [400.0, 410, 17_000, 90_500_000, 400, 90_100_000, 52_000])
        var report = Self.report(
            Dictionary(uniqueKeysWithValues: Array(times)), facts: names.map { Self.facts($0) })
        // The last chart of a line.
        report.rows += report.rows.map { row in
            var row = row
            row.headline = .saveMany
            return row
        }

        let lines = TerminalOverview(report).text.split(separator: "\n")

        #expect(lines.contains { $0.hasPrefix("Save one object, per row") })
        #expect(lines.contains { $0.contains("226k×") })
        #expect(lines.filter { $0.count > 80 }.isEmpty)
    }

    @Test func `shows by how little a goal was missed`() {
        let report = Report.fixture([100.4], goal: .ratio(1), headline: .fault)

        #expect(report.missedGoals.map(\.measured) == ["1.004"])
    }

    @Test
    func `is followed by the missed goals on request, with what the remaining time consists of`() {
        let report = Report.fixture([200], headline: .fault, rest: "half of it is a lock")

        let text = TerminalOverview(report).missedGoals

        #expect(text.contains("A   SQLite   2.00   ≤ 1.50   does something"))
        #expect(text.contains("A: half of it is a lock"))
    }

    @Test func `comes first on the page`() throws {
        let page = HTMLReport(report).text

        let first = try #require(page.range(of: "class=\"first\""))
        let heading = try #require(page.range(of: "<h2>"))
        #expect(first.lowerBound < heading.lowerBound)
    }
}

import Foundation
import Testing

@testable import CairnBenchmarks

@Suite struct `Report in a file` {
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("report-\(UUID().uuidString).json")

    @Test func `is read unchanged`() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let report = Report.fixture([120, 130, 125], goal: .nanoseconds(90))

        try report.write(to: url)
        let read = try Report(contentsOf: url)

        let ours = try #require(read.rows.first?.contenders.last)
        #expect(read.rows.map(\.workload) == ["A", "undo"])
        #expect(ours.cpu.samples == [120, 130, 125])
        #expect(ours.goal == .nanoseconds(90))
        #expect(ours.isGoalMet == false)
        #expect(read.rows.last?.needs == "undo")
    }

    @Test(arguments: [Goal.ratio(1.5), .wallRatio(0.5), .nanoseconds(90), .bytes(12)])
    func `keeps every kind of goal`(_ goal: Goal) throws {
        defer { try? FileManager.default.removeItem(at: url) }

        try Report.fixture([120], goal: goal).write(to: url)

        #expect(try Report(contentsOf: url).rows.first?.contenders.last?.goal == goal)
    }

    @Test func `has the names that the readme describes`() throws {
        defer { try? FileManager.default.removeItem(at: url) }

        try Report.fixture([120]).write(to: url)
        let text = try String(contentsOf: url, encoding: .utf8)

        for name in ["format", "workload", "engine", "size", "unit", "durability", "contenders"] {
            #expect(text.contains("\"\(name)\""))
        }
        for name in ["role", "cpu", "wall", "median", "samples", "ratio", "goal", "isGoalMet"] {
            #expect(text.contains("\"\(name)\""))
        }
    }

    @Test func `of another format is refused, with its number`() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(#"{"format": 99}"#.utf8).write(to: url)

        let error = #expect(throws: ReportFileError.self) { try Report(contentsOf: url) }

        #expect(error.map { "\($0)" }?.contains("has format 99") == true)
    }

    @Test func `that is not a report is refused with advice`() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        try Data("[1]".utf8).write(to: url)

        let error = #expect(throws: ReportFileError.self) { try Report(contentsOf: url) }

        #expect(error.map { "\($0)" }?.contains("Make one with --json") == true)
    }
}

import CairnConformance
import CairnTestSupport
import FolderStore
import Foundation
import ServedStoreSupport
import Testing

@testable import CairnBenchmarks

@Suite struct `Benchmark program` {
    private func run(_ row: PlantedRow) -> Int32 {
        program(row).run(["cairn-bench", "--smoke", "--engine", "InMemory"])
    }

    private func program(_ row: PlantedRow) -> BenchmarkProgram {
        var additions = Additions()
        additions.workloads = [row]
        return BenchmarkProgram(additions: additions)
    }

    @Test func `fails if a contender did other work`() {
        #expect(run(PlantedRow(checksums: [7, 8])) == 1)
    }

    @Test func `does not fail if a goal is missed`() {
        #expect(run(PlantedRow(checksums: [7, 7], goal: .nanoseconds(-1))) == 0)
    }

    @Test func `shows the measurements of an earlier run without measuring`() throws {
        let folder = try TemporaryFolder()
        let (json, html) = (folder.file("report.json").path, folder.file("report.html").path)
        let arguments = ["cairn-bench", "--smoke", "--engine", "InMemory", "--json", json]
        let measured = program(PlantedRow(checksums: [7, 7])).run(arguments)

        let shown = program(PlantedRow(checksums: [7, 8])).run(
            ["cairn-bench", "--from", json, "--html", html])

        let page = try String(contentsOfFile: html, encoding: .utf8)
        #expect(measured == 0)
        #expect(shown == 0)
        #expect(page.contains("Answers with known checksums"))
    }

    @Test func `refuses invalid arguments with a separate exit code`() {
        #expect(BenchmarkProgram().run(["cairn-bench", "--engine", "Oracle"]) == 64)
    }

    // MARK: Engines of an author

    /// Measures rows once, with 1,000 objects.
    private func report(_ program: BenchmarkProgram, rows: String...) throws -> Report {
        let folder = try TemporaryFolder()
        let json = folder.file("report.json")
        let arguments = ["bench", "--smoke", "--json", json.path, "--directory", folder.url.path]
        let code = program.run(arguments + ["--workload"] + rows)
        #expect(code == 0)
        return try Report(contentsOf: json)
    }

    @Test func `measures the rows of the first screen on stores of a service`() throws {
        let rows = ["A", "G", "to-one", "to-many", "M", "K", "open", "F", "cascade-chain"]

        let report = try report(
            BenchmarkProgram(ServedHarness()), rows: "A", "G", "to-one", "to-many", "M", "K",
            "open",
            "F", "cascade-chain")

        #expect(Set(report.rows.map(\.workload)) == Set(rows))
        #expect(report.rows.allSatisfy { $0.engine == "Served" })
        // The service's folder of the run is gone.
        #expect(report.leftOut == nil)
        #expect(Overview(report)?.columns.map(\.headline) == Headline.allCases)
    }

    @Test func `opens stores with the harness's options`() {
        let harness = EngineHarness(FolderStore.self, options: ["nonsense": 1])

        let code = BenchmarkProgram(harness).run(["bench", "--smoke", "--workload", "A"])

        #expect(code == 1)
    }

    @Test func `takes another engine as the baseline, which is the mark beside the bars`() throws {
        let program = BenchmarkProgram(
            EngineHarness(FolderStore.self), baseline: ServedHarness())

        let report = try report(program, rows: "A", "to-one")

        let contenders = report.rows.map { $0.contenders.map(\.name) }
        #expect(
            contenders == [
                ["Served", "Cairn", "InMemory", "plain objects from memory"],
                [
                    "Served, faults one by one", "Served, prefetched", "Cairn, faults one by one",
                    "Cairn, prefetched", "InMemory, faults one by one", "InMemory, prefetched",
                ],
            ])
        #expect(report.rows[0].contenders[1].ratio != nil)
        #expect(Overview(report)?.marks.map(\.name) == ["Served"])
        #expect(TerminalOverview(report).text.contains("┃ Served"))
    }

    @Test func `takes contenders of its own, and compares the items that they read`() throws {
        let program = BenchmarkProgram(EngineHarness(FolderStore.self)) { row in
            guard row.name == "A", try row.store() != nil else { return [] }
            return [
                Contender("client: read all", .baseline) {
                    var watch = Stopwatch()
                    let items = watch.time { row.items }
                    return row.sample(watch, read: items)
                },
                Contender("client: look", .peer) { Sample(Stopwatch(), operations: 1) },
            ]
        }

        let report = try report(program, rows: "A", "G")

        #expect(
            report.rows.map { $0.contenders.map(\.name) } == [
                [
                    "client: read all", "Cairn", "client: look", "InMemory",
                    "plain objects from memory",
                ], ["Cairn", "InMemory"],
            ])
    }

    @Test func `fails if such a contender read other items`() {
        let program = BenchmarkProgram(EngineHarness(FolderStore.self)) { row in
            [
                Contender("client", .baseline) {
                    row.sample(Stopwatch(), read: row.items.reversed())
                }
            ]
        }

        let code = program.run(["bench", "--smoke", "--workload", "A"])

        #expect(code == 1)
    }
}

/// A row whose contenders return known checksums.
private struct PlantedRow: Workload {
    var checksums: [UInt64]
    var goal: Goal?

    let name = "planted"
    let title = "answers with known checksums"
    let about = About(goal: "", heldFixed: "", varied: "")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let contenders = checksums.enumerated().map { index, checksum in
            Contender("contender \(index)", index == 0 ? .baseline : .ours, goal: goal) {
                Sample(Stopwatch(), operations: 1, checksum: checksum)
            }
        }
        return .contests([Contest(unit: "step", contenders)])
    }
}

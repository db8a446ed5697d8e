import BenchmarkKit
import Foundation
import Testing
import Workloads

@testable import CairnBenchmarks

@Suite struct `Benchmark program` {
    private func run(_ row: PlantedRow) -> Int32 {
        BenchmarkProgram().run(["cairn-bench", "--smoke", "--engine", "InMemory"], rows: [row])
    }

    @Test func `fails if a contender did other work`() {
        #expect(run(PlantedRow(checksums: [7, 8])) == 1)
    }

    @Test func `does not fail if a goal is missed`() {
        #expect(run(PlantedRow(checksums: [7, 7], goal: .nanoseconds(-1))) == 0)
    }

    @Test func `shows the measurements of an earlier run without measuring`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (json, html) = (folder.path + "/report.json", folder.path + "/report.html")
        let arguments = ["cairn-bench", "--smoke", "--engine", "InMemory", "--json", json]
        let measured = BenchmarkProgram().run(arguments, rows: [PlantedRow(checksums: [7, 7])])

        let shown = BenchmarkProgram().run(
            ["cairn-bench", "--from", json, "--html", html], rows: [PlantedRow(checksums: [7, 8])])

        let page = try String(contentsOfFile: html, encoding: .utf8)
        #expect(measured == 0)
        #expect(shown == 0)
        #expect(page.contains("Answers with known checksums"))
    }

    @Test func `refuses invalid arguments with a separate exit code`() {
        #expect(BenchmarkProgram().run(["cairn-bench", "--engine", "Oracle"]) == 64)
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

import BenchmarkKit
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

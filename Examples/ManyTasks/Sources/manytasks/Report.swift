import Foundation
import ManyTasksServer

/// The measurements of a run, as text or JSON.
struct Report: Codable {
    struct Requests: Codable {
        let operations: Int
        let perSecond: Double
        let p50Milliseconds: Double
        let p95Milliseconds: Double
        let p99Milliseconds: Double
        let failures: [String: Int]
        let otherFailure: String?

        init(_ measured: Measurements.Requests, seconds: Double) {
            operations = Int(measured.latencies.totalCount)
            perSecond = Double(operations) / seconds
            let milliseconds = { Double(measured.latencies.valueAtPercentile($0)) / 1000 }
            p50Milliseconds = milliseconds(50)
            p95Milliseconds = milliseconds(95)
            p99Milliseconds = milliseconds(99)
            failures = Dictionary(
                uniqueKeysWithValues: measured.failures.map { ($0.rawValue, $1) })
            otherFailure = measured.otherFailure
        }
    }

    let engine: String
    let seconds: Double
    let readers: Int
    let writers: Int
    let reads: Requests
    let writes: Requests
    let mostThreadsOfExecutor: Int
    let mostThreadsOfProcess: Int
    /// The peak memory of the process.
    let peakMemoryKiB: Int?
    /// The accounts whose stored writes differ from the acknowledged ones.
    let mismatches: [Ledger.Mismatch]

    init(_ run: ManyTasksRun, _ measured: Measurements, _ mismatches: [Ledger.Mismatch]) {
        let seconds = measured.duration / .seconds(1)
        (engine, self.seconds) = (run.engine.rawValue, seconds)
        (readers, writers) = (run.readers, run.writers)
        reads = Requests(measured.reads, seconds: seconds)
        writes = Requests(measured.writes, seconds: seconds)
        mostThreadsOfExecutor = measured.most.ofExecutor
        mostThreadsOfProcess = measured.most.ofProcess
        peakMemoryKiB = ProcessStatus.number("VmHWM:")
        self.mismatches = mismatches
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    var text: String {
        let mebibytes = peakMemoryKiB.map { "\($0 / 1024) MiB" } ?? "unknown"
        let verdict =
            mismatches.isEmpty
            ? "Every acknowledged write is there, and no other."
            : mismatches.map {
                "Account \($0.account): \($0.acknowledged) writes acknowledged, "
                    + "\($0.stored.map(String.init) ?? "no account") stored."
            }.joined(separator: "\n")
        return """
            \(engine), \(readers) readers and \(writers) writers, \(Self.text(seconds, 1)) s
            \(line("readers", reads))
            \(line("writers", writes))
            most threads: \(mostThreadsOfExecutor) of the executor, \
            \(mostThreadsOfProcess) of the process
            peak memory: \(mebibytes)
            \(verdict)
            """
    }

    private func line(_ name: String, _ requests: Requests) -> String {
        let failures = requests.failures.sorted { $0.key < $1.key }
            .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let other = requests.otherFailure.map { " (\($0))" } ?? ""
        return "\(name): \(requests.operations) operations, "
            + "\(Self.text(requests.perSecond, 0)) a second; p50 \(Self.text(requests.p50Milliseconds, 2)), "
            + "p95 \(Self.text(requests.p95Milliseconds, 2)), "
            + "p99 \(Self.text(requests.p99Milliseconds, 2)) ms; "
            + "failed: \(failures.isEmpty ? "none" : failures)\(other)"
    }

    private static func text(_ number: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", number)
    }
}

import CairnConformance
import LogStore
import Foundation

/// Runs the conformance kit on the log engine. The exit code is 1 if a rule is broken.
@main enum LogConform {
    static func main() {
        exit(ConformanceProgram(EngineHarness(LogStore.self, worker: .thisProgram())).run())
    }
}

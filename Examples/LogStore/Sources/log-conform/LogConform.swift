import CairnConformance
import LogStore
import Foundation

/// Runs the kit over the log engine; exit code 1 where a rule is broken.
@main enum LogConform {
    static func main() {
        exit(ConformanceProgram(EngineHarness(LogStore.self, worker: .thisProgram())).run())
    }
}

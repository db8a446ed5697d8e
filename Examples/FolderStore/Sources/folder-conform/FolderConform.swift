import CairnConformance
import FolderStore
import Foundation

/// Runs the conformance kit on the folder engine. The exit code is 1 if a rule is broken.
@main enum FolderConform {
    static func main() {
        exit(ConformanceProgram(EngineHarness(FolderStore.self, worker: .thisProgram())).run())
    }
}

import CairnConformance
import FolderStore
import Foundation

/// Runs the kit over the folder engine; exit code 1 where a rule is broken.
@main enum FolderConform {
    static func main() {
        exit(ConformanceProgram(EngineHarness(FolderStore.self, worker: .thisProgram())).run())
    }
}

import CairnBenchmarks
import FolderStore
import Foundation

/// Measures the folder engine in the same way as Cairn's own engines.
@main enum FolderBench {
    static func main() { exit(BenchmarkProgram(FolderStore.self).run()) }
}

import CairnBenchmarks
import FolderStore
import Foundation

/// Measures the folder engine as Cairn's own engines are measured.
@main enum FolderBench {
    static func main() { exit(BenchmarkProgram(FolderStore.self).run()) }
}

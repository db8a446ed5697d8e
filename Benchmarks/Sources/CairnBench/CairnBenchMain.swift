import BenchmarkRows
import Foundation
import Workloads

/// Measures Cairn's own engines.
@main enum CairnBenchMain {
    static func main() { exit(BenchmarkProgram.withLibraries.run()) }
}

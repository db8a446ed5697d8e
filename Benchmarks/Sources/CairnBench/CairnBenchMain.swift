import CairnBenchmarks
import Foundation

/// Measures Cairn's own engines.
@main enum CairnBenchMain {
    static func main() { exit(BenchmarkProgram().run()) }
}

import CairnBenchmarks
import CairnConformance
import FolderStore
import Foundation

/// Measures the folder engine with Cairn's rows. Saving many objects has a baseline: the same texts in one file.
@main enum FolderBench {
    static func main() {
        let program = BenchmarkProgram(EngineHarness(FolderStore.self)) { row in
            row.name == "K" ? [Contender("JSON", .baseline) { try encoded(row.items) }] : []
        }
        exit(program.run())
    }

    private static func encoded(_ items: [ItemValues]) throws -> Sample {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let texts = items.map { [$0.name, $0.title, $0.code, $0.note] }
        var watch = Stopwatch()
        try watch.time { try JSONEncoder().encode(texts).write(to: file) }
        return Sample(watch, operations: items.count)
    }
}

import ArgumentParser
import Cairn
import Foundation
import SaveArrangements

/// Measures each arrangement of docs/saving-without-freezing.md, and checks that everything was saved.
@main struct Freezing: AsyncParsableCommand {
    enum Engine: String, ExpressibleByArgument, CaseIterable {
        case inMemory = "InMemory"
        case sqlite = "SQLite"
        case lmdb = "LMDB"
        case xml = "XML"
        case binary = "Binary"
    }

    static let configuration = CommandConfiguration(
        commandName: "freezing",
        abstract: "Measures how long a save of many objects keeps an app's main actor.")

    @Option(help: "The engine of the store.")
    var engine: Engine = .sqlite
    @Option(help: "How many new objects each arrangement saves.")
    var objects = 100_000

    func validate() throws {
        guard (1...10_000_000).contains(objects) else {
            throw ValidationError("Give a number of objects from 1 to 10000000.")
        }
    }

    @MainActor func run() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "freezing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        print("\(objects) new objects, \(engine.rawValue); times in milliseconds")
        print(Row(["arrangement", "late, most", "late, p99", "ticks", "read", "save", "stored"]))
        var isComplete = true
        for arrangement in SaveArrangement.allCases {
            let run = SaveRun(
                engine: StoreType(engine.rawValue), arrangement: arrangement, objectCount: objects)
            let measured = try await run.measure(in: folder)
            print(Row(measured))
            isComplete = isComplete && measured.isComplete
        }
        if !isComplete {
            print("An arrangement did not store all of the objects.")
            throw ExitCode.failure
        }
    }
}

/// A line of the table.
private struct Row: CustomStringConvertible {
    private static let widths = [53, 12, 12, 8, 10, 10, 9]
    private let cells: [String]

    var description: String {
        zip(cells, Self.widths).enumerated().map { index, cell in
            let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index == 0 ? cell.0 + padding : padding + cell.0
        }.joined()
    }

    init(_ cells: [String]) { self.cells = cells }

    init(_ measured: SaveMeasurement) {
        cells = [
            measured.arrangement.rawValue, Self.text(measured.lateness(ofShare: 1)),
            Self.text(measured.lateness(ofShare: 0.99)), "\(measured.lateness.count)",
            measured.readTime.map(Self.text) ?? "–", Self.text(measured.saveTime),
            "\(measured.storedCount)",
        ]
    }

    private static func text(_ time: Duration) -> String {
        String(format: "%.1f", time / .milliseconds(1))
    }
}

import ArgumentParser
import Cairn
import Foundation
import ManyTasksServer

/// Runs the server and its clients, prints the measurements, and checks that no write was lost.
@main struct ManyTasks: AsyncParsableCommand {
    enum Engine: String, ExpressibleByArgument, CaseIterable {
        case inMemory = "InMemory"
        case sqlite = "SQLite"
        case lmdb = "LMDB"
        case xml = "XML"
        case binary = "Binary"
    }

    static let configuration = CommandConfiguration(
        commandName: "manytasks",
        abstract: "Many tasks read and write on one container, as on a server.")

    @Option(help: "The engine of the store.")
    var engine: Engine = .sqlite
    @Option(help: "How long clients send requests.")
    var seconds: Double = 5
    @Option(help: "How many clients read.")
    var readers = 48
    @Option(help: "How many clients write.")
    var writers = 8
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard seconds > 0, seconds < 1e6, readers >= 0, writers >= 0, readers + writers > 0 else {
            throw ValidationError("Give a positive time, and at least one client.")
        }
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "manytasks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let run = ManyTasksRun(
            engine: StoreType(engine.rawValue), duration: .seconds(seconds), readers: readers,
            writers: writers)
        let measurements = Measurements()
        let mismatches = try await run.run(in: folder, observer: measurements)

        let report = Report(run, measurements, mismatches)
        print(json ? try report.json : report.text)
        // The store must contain every acknowledged write, and no other.
        if !mismatches.isEmpty { throw ExitCode.failure }
    }
}

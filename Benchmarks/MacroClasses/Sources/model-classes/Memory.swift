import Foundation

/// Measures the memory of fetched objects, in a process of its own for each kind, because memory that a process freed is
/// used again.
enum Memory {
    static let objectCount = 1_000_000

    /// Prints the bytes for each typed object and each model, with their rows. `model-classes memory`.
    static func compare() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "model-classes-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for kind in ["typed", "models"] {
            for step in ["fill", "hold"] {
                let process = try Process.run(
                    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath(),
                    arguments: [step, kind, folder.path])
                process.waitUntilExit()
            }
        }
    }

    /// Runs a step of a process of ``compare()``.
    static func run(_ step: String, _ kind: String, in folder: URL) throws {
        switch (step, kind) {
        case ("fill", "typed"):
            let items = try TypedItems(in: folder)
            for _ in 0..<10 { _ = try items.insertAndSave(objectCount / 10) }
        case ("fill", _):
            let items = try ModelItems(in: folder)
            for _ in 0..<10 { _ = try items.insertAndSave(objectCount / 10) }
        case (_, "typed"): report("typed class", try TypedItems(in: folder).hold())
        default: report("model", try ModelItems(in: folder).hold())
        }
    }

    private static func report(_ name: String, _ bytes: Int) {
        print("\(name): \(bytes / objectCount) bytes for each object and its row")
    }

    /// The bytes of the process that are in memory.
    static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            .split(separator: " ")
        return (Int(pages[1]) ?? 0) * 4096
    }
}

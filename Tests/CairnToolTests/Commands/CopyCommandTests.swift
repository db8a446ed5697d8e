import CairnTestSupport
import Foundation
import Testing

@testable import CairnTool

/// Tests `cairn store copy` with the store in the fixtures.
@Suite struct `Copy command` {
    private let folder: TemporaryFolder
    private let source: URL
    private let destination: URL

    init() throws {
        folder = try TemporaryFolder()
        source = folder.file("Trails.sqlite")
        destination = folder.file("copy")
        let fixture = Repository.file("Fixtures/Trails.sqlite")
        try FileManager.default.copyItem(at: fixture, to: source)
    }

    private func copy(_ type: String, _ flags: String...) throws -> ToolRun {
        try ToolRun(
            ["store", "copy", source.path, destination.path, "--type", type] + flags)
    }

    @Test func `copies a store, and reports how much`() throws {
        let run = try copy("LMDB")
        let wanted = try ToolRun(["store", "dump", source.path])
        let found = try ToolRun(["store", "dump", destination.path])

        let count = wanted.text.split(separator: "\n").count
        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.hasPrefix("copied \(count) objects to "))
        #expect(count > 0)
        #expect(found.output == wanted.output)
    }

    @Test func `refuses an existing destination, and replaces it when told to`() throws {
        _ = try copy("LMDB")
        let before = try Data(contentsOf: destination)

        let refused = try copy("SQLite")
        let after = try Data(contentsOf: destination)
        let replaced = try copy("SQLite", "--replace")
        let info = try ToolRun(["store", "info", destination.path])

        #expect(refused.exitCode == 1)
        #expect(refused.errorText.contains("already exists"))
        #expect(after == before)
        #expect(replaced.exitCode == 0, "\(replaced.errorText)")
        #expect(info.text.contains("SQLite"))
    }

    @Test func `does not replace a file that is not a store`() throws {
        try Data("a letter".utf8).write(to: destination)

        let run = try copy("LMDB", "--replace")

        #expect(run.exitCode == 1)
        #expect(try Data(contentsOf: destination) == Data("a letter".utf8))
    }

    @Test(arguments: ["InMemory", "Papyrus"])
    func `refuses a type without files`(_ type: String) throws {
        let run = try copy(type)

        #expect(run.exitCode == 1)
        #expect(!FileManager.default.fileExists(atPath: destination.path))
    }

    @Test func `reports the rate and the remaining time`() {
        let text = ProgressLine.text(500, of: 2000, "objects", after: .seconds(2))
        let first = ProgressLine.text(0, of: 2000, "objects", after: .zero)

        #expect(text == "500 of 2000 objects, 250/s, 6 s left")
        #expect(first == "0 of 2000 objects")
    }
}

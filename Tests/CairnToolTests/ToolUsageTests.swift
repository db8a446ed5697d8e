import CairnTestSupport
import Foundation
import Testing

@Suite struct `Tool usage` {
    @Test func `prints help and exits with 0`() throws {
        let run = try ToolRun(["--help"])

        #expect(run.exitCode == 0)
        #expect(run.text.contains("store"))
    }

    @Test(arguments: [
        ["store", "info", "--help"], ["store", "query", "--help"], ["store", "dump", "--help"],
        ["store", "verify", "--help"], ["store", "copy", "--help"], ["model", "info", "--help"],
        ["tour", "--help"], ["store", "new", "--help"], ["model", "versions", "--help"],
        ["model", "diff", "--help"], ["model", "lint", "--help"], ["model", "diagram", "--help"],
        ["model", "compile", "--help"], ["model", "convert", "--help"],
        ["store", "recover", "--help"],
    ])
    func `has help for each command`(_ arguments: [String]) throws {
        let run = try ToolRun(arguments)

        #expect(run.exitCode == 0)
        #expect(run.text.contains("OVERVIEW"))
    }

    @Test(arguments: [
        ["store", "info"], ["store", "copy", "x", "y"], ["store", "recover"], ["stare"],
        ["--no-such-flag"],
        ["store", "query", "x"], ["store", "query", "x", "--entity", "E", "--limit", "-1"],
        ["store", "query", "x", "--entity", "E", "--format", "xml"],
    ])
    func `exits with 2 for wrong arguments`(_ arguments: [String]) throws {
        let run = try ToolRun(arguments)

        #expect(run.exitCode == 2)
        #expect(run.output.isEmpty)
        #expect(run.errorText.contains("Usage:"))
    }

    @Test(arguments: ["info", "dump", "verify"])
    func `exits with 1 and names the path if there is no store`(_ command: String) throws {
        let run = try ToolRun(["store", command, "/nowhere/at all.sqlite"])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("/nowhere/at all.sqlite"))
    }

    @Test(arguments: ["", "short", "SQLite format 3\u{0}cut off", "<?xml version=\"1.0\"?>"])
    func `refuses a file that is not a store`(_ content: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("bad.sqlite")
        try Data(content.utf8).write(to: file)

        let run = try ToolRun(["store", "info", file.path])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("bad.sqlite"))
        #expect(try Data(contentsOf: file) == Data(content.utf8))
    }
}

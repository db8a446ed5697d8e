import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

/// Tests that the page about the tool shows what the tool really prints.
@Suite struct `The page about the tool` {
    private static let page = "docs/tool.md"

    @Test func `shows true output`() throws {
        let folder = try TemporaryFolder()
        for name in ["Trails.sqlite", "Trails.xcdatamodeld"] {
            try FileManager.default.copyItem(
                at: Repository.file("Fixtures/\(name)"), to: folder.file(name))
        }
        let blocks = try PageBlock.all(of: Self.page).filter { $0.title == "console" }

        for block in blocks {
            let commands = block.lines.filter { $0.hasPrefix("$ ") }
            let found = try commands.map { line in
                line + "\n" + (try Self.output(of: String(line.dropFirst(2)), in: folder.url))
            }.joined()
            #expect(found.withoutPostgreSQL == block.text)
        }
        #expect(blocks.count == 7)
    }

    @Test func `names every command`() throws {
        let text = try Repository.text(Self.page)

        for group in ["model", "store"] {
            let help = try ToolRun([group, "--help"]).text
            let names = help.matches(of: /(?m)^  ([a-z]+) {2,}/).map { String($0.output.1) }
            #expect(names.count > 6)
            for name in names { #expect(text.contains("`cairn \(group) \(name) "), "\(name)") }
        }
    }

    private static func output(of command: String, in folder: URL) throws -> String {
        let bin = ToolRun.executable.deletingLastPathComponent().path
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "cd \"$0\" && PATH=\"$1:$PATH\" && { \(command); } 2>&1", folder.path, bin])
        return String(decoding: try process.output(), as: UTF8.self)
    }
}

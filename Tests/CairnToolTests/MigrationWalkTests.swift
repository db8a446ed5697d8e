import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

/// Follows the instructions in docs/migration.md: writes its files, calls its functions, runs its commands,
/// and compares the output.
@Suite struct `The walk through migrations` {
    @Test func `leads from version 1 to version 4`() throws {
        let folder = try TemporaryFolder()
        let source = try Repository.text("Tests/CairnToolTests/MigrationWalk.swift")
        var (files, functions, commands) = (0, 0, 0)
        for block in try PageBlock.all(of: "docs/migration.md") {
            switch block.title.split(separator: " ", maxSplits: 1).map(String.init) {
            case let parts where parts.first == "xml":
                let file = folder.url.appending(path: try #require(parts.last))
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(block.text.utf8).write(to: file)
                files += 1
            case ["swift"]:
                #expect(source.contains(block.text), "\(block.lines.first ?? "")")
                if block.text.contains("func saveFirstNotes(") {
                    try saveFirstNotes(in: folder.url)
                } else if block.text.contains("func fileNotes(") {
                    try fileNotes(in: folder.url)
                }
                functions += 1
            case ["console"]:
                let found = try block.lines.filter { $0.hasPrefix("$ ") }.map { line in
                    commands += 1
                    return line + "\n" + (try Self.output(of: line.dropFirst(2), in: folder.url))
                }.joined()
                #expect(found == block.text)
            default: continue
            }
        }
        #expect(files == 4)
        #expect(functions == 3)
        #expect(commands == 8)
    }

    /// Returns the output of a command, including errors. The command runs in a folder, and `cairn` is in its
    /// `PATH`.
    private static func output(of command: Substring, in folder: URL) throws -> String {
        let bin = ToolRun.executable.deletingLastPathComponent().path
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "cd \"$0\" && PATH=\"$1:$PATH\" && { \(command); } 2>&1", folder.path, bin])
        let text = String(decoding: try process.output(), as: UTF8.self)
        return text.replacingOccurrences(of: folder.path + "/", with: "")
    }
}

import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@testable import CairnTool

/// Tests paths that a command does not expect.
@Suite struct `Paths given to the tool` {
    private let folder: TemporaryFolder
    private let fixture = Repository.file("Fixtures/Trails.sqlite")

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        ["store", "verify", ""], ["store", "info", ""], ["model", "info", ""],
        ["store", "copy", "", "x", "--type", "XML"], ["store", "copy", "x", "", "--type", "XML"],
        ["store", "info", "x", "--model", ""], ["tour", ""],
    ])
    func `do not include an empty path for the current folder`(_ arguments: [String]) throws {
        let run = try ToolRun(arguments)

        #expect(run.exitCode == 2)
        #expect(run.errorText.contains("A path cannot be empty"))
    }

    @Test(arguments: [
        ["model", "info"], ["store", "info"], ["store", "verify"], ["store", "dump"],
    ])
    func `are reported at once if they name a pipe`(_ command: [String]) throws {
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)

        let run = try ToolRun(command + [pipe.path])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("a named pipe"), "\(run.errorText)")
        #expect(run.errorText.contains("pipe"))
    }

    @Test(arguments: [["model", "info"], ["store", "info"]])
    func `are reported at once if they name a device`(_ command: [String]) throws {
        let run = try ToolRun(command + ["/dev/zero"])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("a character device"), "\(run.errorText)")
        #expect(run.errorText.contains("/dev/zero"))
    }

    @Test func `are also reported if a pipe is part of a model or given with --model`() throws {
        let model = folder.file("Odd.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        #expect(mkfifo(model.appending(path: "contents").path, 0o600) == 0)

        let info = try ToolRun(["model", "info", model.path])
        let store = try ToolRun(["store", "dump", fixture.path, "--model", model.path])

        #expect(info.errorText.contains("a named pipe"))
        #expect(store.exitCode == 1)
        #expect(store.errorText.contains("a named pipe"))
    }

    @Test func `are refused if a model is far too large`() throws {
        let file = folder.file("huge.mom")
        #expect(FileManager.default.createFile(atPath: file.path, contents: Data("bplist00".utf8)))
        // The file is sparse and takes no space on the disk.
        #expect(truncate(file.path, 1 << 40) == 0)

        let run = try ToolRun(["model", "info", file.path])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("\(1 << 40) bytes"))
    }

    @Test(arguments: everyFileEngine.map(\.rawValue))
    func `may be in bytes that are not UTF-8`(_ type: String) throws {
        let plain = folder.file("plain.store")
        let copied = try ToolRun(["store", "copy", fixture.path, plain.path, "--type", type])
        try #require(copied.exitCode == 0, "\(copied.errorText)")
        let wanted = try ToolRun(["store", "dump", plain.path])
        // The bytes are "café" in ISO 8859-1, once as the name of a folder and once as that of a file.
        let latin = try ByteFolder(in: folder.url, named: "caf\u{E9}")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        where name.contains("plain") {
            try latin.move(
                folder.file(name).path, to: name.replacing("plain", with: "caf\u{E9} 1"))
        }

        let dump = try latin.run(["store", "dump"], "caf\u{E9} 1.store")
        let info = try latin.run(["store", "info"], "caf\u{E9} 1.store")
        let verify = try latin.run(["store", "verify"], "caf\u{E9} 1.store")
        let missing = try latin.run(["store", "info"], "other \u{E9}")

        #expect(dump.output == wanted.output, "\(dump.errorText)")
        #expect(!dump.output.isEmpty)
        #expect(info.text.contains(type), "\(info.errorText)")
        #expect(verify.text.hasPrefix("sound: "), "\(verify.text)\(verify.errorText)")
        #expect(missing.exitCode == 1)
        #expect(missing.errorText.contains("caf\u{FFFD}/other \u{FFFD}"), "\(missing.errorText)")
        #expect(!missing.errorText.contains("/proc/"))
    }

    @Test func `may have a folder that is not UTF-8 as the destination of a copy`() throws {
        let latin = try ByteFolder(in: folder.url, named: "caf\u{E9}")

        let copy = try latin.run(["store", "copy", fixture.path], "new", ["--type", "SQLite"])
        let dump = try latin.run(["store", "dump"], "new")
        let refused = try latin.run(
            ["store", "copy", fixture.path], "caf\u{E9}", ["--type", "XML"])

        #expect(copy.exitCode == 0, "\(copy.errorText)")
        #expect(copy.text.contains("caf\u{FFFD}/new"))
        #expect(try dump.output == ToolRun(["store", "dump", fixture.path]).output)
        #expect(refused.exitCode == 1)
        #expect(refused.errorText.contains("Choose another name"))
    }

    @Test(arguments: ["", "a", "\u{E9}", "\u{10FFFF}", "\u{10FF41}", "\u{1F600}/x"])
    func `keep their bytes`(_ text: String) {
        let utf8 = Array(text.utf8)
        for bytes in [utf8, utf8 + [0xE9], [0xFF] + utf8, utf8 + [0xF0, 0x9F] + utf8] {
            #expect(ArgumentBytes.bytes(of: ArgumentBytes.text(of: bytes)) == bytes)
        }
    }
}

/// A folder whose name is in ISO 8859-1. It runs the tool on files in the folder.
private struct ByteFolder {
    private let path: [UInt8]

    init(in folder: URL, named name: String) throws {
        path = Array(folder.path.utf8) + [UInt8(ascii: "/")] + Self.latin(name)
        let status = (path + [0]).withUnsafeBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { mkdir($0, 0o700) }
        }
        try #require(status == 0)
    }

    private static func latin(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    func move(_ source: String, to name: String) throws {
        let target = path + [UInt8(ascii: "/")] + Self.latin(name) + [0]
        let status = target.withUnsafeBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { rename(source, $0) }
        }
        try #require(status == 0)
    }

    /// Runs the tool with a path in the folder. Uses a shell, because Swift passes only UTF-8 arguments.
    func run(
        _ arguments: [String], _ name: String, _ rest: [String] = []
    ) throws -> ToolRun {
        let bytes = path + [UInt8(ascii: "/")] + Self.latin(name)
        let octal = bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\0" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
        return try ToolRun(arguments, pathInOctal: octal, rest)
    }
}

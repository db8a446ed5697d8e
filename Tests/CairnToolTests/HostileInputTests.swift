import CairnTestSupport
import Foundation
import Testing

/// Tests files that were damaged on purpose, and arguments that look like options.
@Suite struct `Hostile input to the tool` {
    private let folder: TemporaryFolder
    private let fixture = Repository.file("Fixtures/Trails.sqlite")

    init() throws { folder = try TemporaryFolder() }

    private static func document(_ head: String, _ bytes: [UInt8], root: String) -> [UInt8] {
        Array("<?xml version=\"1.0\"\(head)?>\n".utf8) + Array("<\(root)>".utf8) + bytes
            + Array("</\(root)>".utf8)
    }

    /// Documents about which libxml2 complains, in some cases outside of a parser.
    static let documents: [(name: String, bytes: @Sendable (String) -> [UInt8])] = [
        ("EUC-JP", { document(" encoding=\"EUC-JP\"", [0xFF, 0xFE, 0xA1], root: $0) }),
        (
            "Shift_JIS",
            {
                document(
                    " encoding=\"Shift_JIS\"",
                    [0x81, 0xFF, 0xFE] + Array(repeating: 0x81, count: 50),
                    root: $0)
            }
        ),
        ("HTML", { document(" encoding=\"HTML\"", [0xFF, 0xFE, 0xA1], root: $0) }),
        ("UTF-16", { document(" encoding=\"UTF-16\"", [], root: $0) }),
        ("unknown", { document(" encoding=\"EBCDIC-XYZ\"", [], root: $0) }),
        ("UTF-8", { document("", [0xFF, 0xFE, 0xA1], root: $0) }),
        ("zero", { document("", [0], root: $0) }),
        ("namespace", { document("", Array("<a:b:c x:y='1' xmlns:z=''/>".utf8), root: $0) }),
        ("entity", { document("", Array("&undefined;".utf8), root: $0) }),
        (
            "surrogate",
            { root in
                [0xFF, 0xFE]
                    + "<?xml version=\"1.0\"?><\(root)>".utf16.flatMap { [UInt8($0 & 0xFF), 0] }
                    + [0x00, 0xD8, 0x3C, 0x00]
            }
        ),
        (
            "UCS-4",
            { _ in
                Array("<?xml".utf8).flatMap { [$0, 0, 0, 0] } + Array(repeating: 0xFF, count: 64)
            }
        ),
    ]

    @Test(arguments: documents.indices)
    func `causes no output of libxml2 itself`(_ index: Int) throws {
        let (name, bytes) = Self.documents[index]
        let store = folder.file("store.xml")
        try Data(bytes("database")).write(to: store)
        let model = folder.file("Bad.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(bytes("model")).write(to: model.appending(path: "contents"))

        let ofStore = try ToolRun(["store", "info", store.path])
        let ofModel = try ToolRun(["model", "info", model.path])

        expectOneLine(ofStore, name)
        if name == "namespace" {
            // libxml2 only warns of this mistake. The rest of the document is a model without entities.
            #expect(ofModel.exitCode == 0 && ofModel.errorText.isEmpty, "\(ofModel.errorText)")
        } else {
            expectOneLine(ofModel, name)
        }
    }

    /// Expects that the run fails and prints exactly one line, which is a message of Cairn.
    private func expectOneLine(_ run: ToolRun, _ name: String) {
        #expect(run.exitCode == 1, "\(name)")
        let lines = run.errorText.split(separator: "\n")
        #expect(lines.count == 1, "\(name): \(run.errorText)")
        #expect(lines.first?.hasPrefix("cairn: ") == true, "\(name): \(run.errorText)")
    }

    @Test func `does not include a condition that begins with a sign`() throws {
        func count(_ condition: String) throws -> ToolRun {
            try ToolRun([
                "store", "query", fixture.path, "--entity", "Hut", "--count", "--where", condition,
            ])
        }

        let signed = try count("-1 < beds")
        let plain = try count("beds > -1")
        let wrong = try count("--limit")

        #expect(signed.exitCode == 0, "\(signed.errorText)")
        #expect(signed.text == plain.text)
        #expect(wrong.exitCode == 1)
        #expect(wrong.errorText.contains("has a syntax error"), "\(wrong.errorText)")
    }

    @Test(arguments: [
        (["store", "query", "--entity", "Hut", "--limit", "-1"], "--limit must be 0 or greater"),
        (
            ["store", "query", "--entity", "Hut", "--offset", "-1"],
            "--offset must be 0 or greater"
        ),
        (["store", "verify", "--limit", "-5"], "--limit must be 0 or greater"),
    ])
    func `that is a negative number is described as one`(_ arguments: [String], _ message: String)
        throws
    {
        let run = try ToolRun(arguments + [fixture.path])

        #expect(run.exitCode == 2)
        #expect(run.errorText.contains(message), "\(run.errorText)")
    }

    /// Every command gets a path with an escape sequence, a line break and a reversed writing direction.
    @Test func `that is the name of a file does not control the terminal`() throws {
        let name = "\u{1B}[31m\nredder\u{202E}\u{9B}2J"
        let parent = folder.file(name)
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        let store = parent.appending(path: "\(name).sqlite").path
        let other = parent.appending(path: "\(name)-other").path
        // A small store with files beside it: each of its two tours fills all engines.
        let kept = Repository.file("Fixtures/Stores/0.1.0")
        let model = kept.appending(path: "Kept.xcdatamodeld").path
        let garbage = parent.appending(path: "\(name).txt")
        try Data("Dear Ada".utf8).write(to: garbage)
        try FileManager.default.copyItem(
            at: kept.appending(path: "Kept.sqlite"), to: URL(filePath: store))
        try FileManager.default.copyItem(
            at: kept.appending(path: ".Kept_SUPPORT"),
            to: parent.appending(path: ".\(name)_SUPPORT"))
        let paths = [store, parent.path, garbage.path, other]
        var commands: [[String]] = []
        for path in paths {
            for command in ["info", "dump", "verify", "tidy", "recover"] {
                commands.append(["store", command, path])
            }
            commands += [
                ["store", "query", path, "--entity", name],
                ["store", "migrate", path, "--to", path],
                ["store", "copy", path, other, "--type", "XML"],
                ["store", "copy", path, store, "--type", name],
                ["store", "report", path, "--html", garbage.path],
                ["store", "new", path, "--model", model, "--type", "SQLite"],
                ["store", "new", path, "--model", garbage.path, "--type", "SQLite"],
                ["model", "info", path], ["model", "diff", path, model],
                ["model", "diff", model, path], ["model", "lint", path],
                ["model", "versions", path, "--store", store], ["model", "diagram", path],
                ["model", "compile", path, path], ["model", "convert", path, path],
                ["model", "check", path, "-o", path], [path], ["store", path],
                ["tour", path],
            ]
        }

        for command in commands {
            let run = try ToolRun(command)
            let printed = run.errorText + (command.contains("dump") ? "" : run.text)
            let isClean = printed.unicodeScalars.allSatisfy { scalar in
                scalar == "\n" || scalar == "\t" || !Self.controls(scalar)
            }
            #expect(isClean, "\(command): \(printed.debugDescription)")
            let lines = printed.split(separator: "\n")
            #expect(!lines.contains { $0.hasPrefix("redder") }, "\(command): \(printed)")
        }
        #expect(commands.count > 80)
    }

    private static func controls(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
    }
}

import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

/// Tests the messages about mistakes. They say what is wrong and what to do.
@Suite struct `Messages of the tool` {
    private let fixture = Repository.file("Fixtures/Trails.sqlite").path

    @Test(arguments: [
        (["stor"], "cairn: “cairn” has no command “stor”. Did you mean “cairn store”?"),
        (
            ["store", "inof", "x"],
            "cairn: “cairn store” has no command “inof”. Did you mean “cairn store info”?"
        ),
        (
            ["info", "x"],
            "cairn: “cairn” has no command “info”. Did you mean “cairn model info” or"
                + " “cairn store info”?"
        ),
        (
            ["help", "model", "dif"],
            "cairn: “cairn model” has no command “dif”. Did you mean “cairn model diff”?"
        ),
        (["xylophone"], "cairn: “cairn” has no command “xylophone”."),
    ])
    func `suggest the command that was meant`(_ arguments: [String], _ message: String) throws {
        let run = try ToolRun(arguments)

        #expect(run.exitCode == 2)
        let lines = run.errorText.split(separator: "\n").map(String.init)
        #expect(lines.first == message)
        #expect(lines.dropFirst().first?.hasPrefix("Usage: cairn ") == true)
    }

    @Test func `suggest the entity and the type that were meant`() throws {
        let folder = try TemporaryFolder()

        let entity = try ToolRun(["store", "query", fixture, "--entity", "Huts"])
        let type = try ToolRun([
            "store", "new", folder.file("x").path, "--model", fixture, "--type", "sqlite",
        ])
        let strange = try ToolRun(["store", "query", fixture, "--entity", "Xylophone"])

        #expect(
            entity.errorText == """
                cairn: The model has no entity “Huts”. Did you mean “Hut”? Its entities are Hut, \
                Photo, Place, Summit, Tag, Trail, Walk, Walker.

                """)
        #expect(
            type.errorText.withoutPostgreSQL == """
                cairn: No engine is registered for the store type “sqlite”. Did you mean “SQLite”? \
                The known types are Binary, InMemory, LMDB, SQLite, XML.

                """)
        #expect(strange.errorText.hasSuffix("Walk, Walker.\n"))
    }

    @Test func `describe what is at a path instead of a store`() throws {
        let folder = try TemporaryFolder()
        let text = folder.file("letter.txt")
        try Data("Dear Ada".utf8).write(to: text)
        let empty = folder.file("empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        let fixtures = Repository.file("Fixtures").path

        func message(_ path: String) throws -> String {
            let run = try ToolRun(["store", "info", path])
            #expect(run.exitCode == 1)
            return run.errorText
        }

        #expect(
            try message("/nowhere/a")
                == "cairn: There is no file or folder /nowhere/a. Check the path.\n")
        #expect(
            try message(fixtures)
                == "cairn: \(fixtures) is a folder, not a store. It contains stores: Trails.sqlite. Pass"
                + " the path of one of them.\n")
        #expect(
            try message(empty.path)
                == "cairn: \(empty.path) is a folder, not a store. It contains no stores either. Check the"
                + " path.\n")
        #expect(
            try message(text.path)
                == "cairn: \(text.path) is not a store of any known type (Binary, LMDB, SQLite, XML): it"
                + " looks like a file of another kind. Check the path.\n")
        let model = fixtures + "/Trails.xcdatamodeld"
        #expect(
            try message(model)
                == "cairn: \(model) is a model, not a store. “cairn model info” shows it, and “cairn store"
                + " new” creates a store for it.\n")
    }

    @Test func `describe what is at a path instead of a model`() throws {
        let folder = try TemporaryFolder()
        let text = folder.file("letter.txt")
        try Data("Dear Ada".utf8).write(to: text)
        let fixtures = Repository.file("Fixtures").path

        let missing = try ToolRun(["model", "info", "/nowhere/a"])
        let letter = try ToolRun(["model", "info", text.path])
        let parent = try ToolRun(["model", "info", fixtures])

        let wanted =
            "a model (.xcdatamodeld, .xcdatamodel, .momd or .mom) or a store that contains one"
        #expect(
            missing.errorText == "cairn: There is no file or folder /nowhere/a. Check the path.\n")
        #expect(letter.errorText == "cairn: \(text.path) is not \(wanted). Check the path.\n")
        #expect(
            parent.errorText
                == "cairn: \(fixtures) is a folder, not \(wanted). It contains models:"
                + " Trails.xcdatamodeld. Pass the path of one of them.\n")
    }

    @Test func `say that a model is needed`() throws {
        let store = Repository.file("Fixtures/CoreData/RestKit/RKSeedDatabase.sqlite").path

        let dump = try ToolRun(["store", "dump", store])
        let model = try ToolRun(["model", "info", store])

        #expect(
            dump.errorText
                == "cairn: \(store) contains no model. (Core Data stores written before iOS 9, and its XML"
                + " stores, never do.) Pass the model that it was written with: --model PATH\n")
        #expect(
            model.errorText
                == "cairn: The store \(store) contains no model. Pass the path of the model that it was"
                + " written with.\n")
    }

    @Test func `name the version`() throws {
        let run = try ToolRun(["--version"])

        #expect(run.exitCode == 0)
        #expect(run.text.wholeMatch(of: /\d+\.\d+\.\d+(-[a-z]+)?\n/) != nil, "\(run.text)")
    }

    @Test(arguments: ["dump", "query --entity Walk --format csv", "query --entity Walk", "info"])
    func `are not printed when the reader of the output has ended`(_ command: String) throws {
        let script = """
            { "$0" store \(command) "$1"; echo "code $?" >&2; } | { read -r line; exec 0<&-; sleep 0; }
            """

        let process = try ChildProcess(
            "/bin/sh", ["-c", script, ToolRun.executable.path, fixture], errorOutput: .kept)
        _ = try process.output()
        _ = try process.end()

        // A short text may be written before the reader exits.
        #expect(
            process.errorText == "code 141\n"
                || (process.errorText == "code 0\n" && command == "info"))
    }
}

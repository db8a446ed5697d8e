import CairnTestSupport
import Foundation
import Testing

@testable import CairnTool

/// Tests `cairn store compact` with the store in the fixtures.
@Suite struct `Compact command` {
    private let folder: TemporaryFolder
    private let store: URL

    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("Trails.sqlite")
        let fixture = Repository.file("Fixtures/Trails.sqlite")
        try FileManager.default.copyItem(at: fixture, to: store)
    }

    @Test func `keeps the content, and reports the sizes`() throws {
        let wanted = try ToolRun(["store", "dump", store.path])
        let before = try Data(contentsOf: store).count

        let run = try ToolRun(["store", "compact", store.path])

        let after = try Data(contentsOf: store).count
        let found = try ToolRun(["store", "dump", store.path])
        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.hasSuffix(": \(before) bytes before, \(after) bytes after\n"))
        #expect(found.output == wanted.output)
        #expect(after <= before)
    }

    @Test func `does nothing to a store whose files have no free space`() throws {
        let copy = folder.file("Trails.xml")
        _ = try ToolRun(["store", "copy", store.path, copy.path, "--type", "XML"])
        let bytes = try Data(contentsOf: copy)

        let run = try ToolRun(["store", "compact", copy.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text.hasSuffix("(XML) has no free space; nothing was done\n"))
        #expect(try Data(contentsOf: copy) == bytes)
    }

    @Test func `refuses a file that is not a store`() throws {
        let letter = folder.file("letter")
        try Data("a letter".utf8).write(to: letter)

        let run = try ToolRun(["store", "compact", letter.path])

        #expect(run.exitCode == 1)
        #expect(try Data(contentsOf: letter) == Data("a letter".utf8))
    }
}

import CairnTestSupport
import Foundation
import Testing

/// Runs the tool on the real stores of the corpus, without giving it a model.
@Suite(.enabled(if: Corpus.isThere)) struct `Tool on real stores` {
    private struct StoreInfo: Decodable {
        struct Entity: Decodable {
            var count: Int?
            var versionHash: String?
        }

        var type: String
        var identifier: String
        var entities: [String: Entity]
    }

    /// The stores whose files all exist and whose objects obey the rules of their model.
    private static let soundPaths = Corpus.wholeStorePaths.filter(
        Corpus.storePathsWithModel.contains)

    @Test(arguments: Corpus.storePaths)
    func `info prints what was recorded, with a line for each entity`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)

        let run = try ToolRun(["store", "info", store.path, "--json"])

        #expect(run.exitCode == 0, "\(run.errorText)")
        let info = try JSONDecoder().decode(StoreInfo.self, from: run.output)
        #expect(info.type == "SQLite")
        // The corpus has no record of the content of some stores.
        guard let expected = Corpus.stores[path] else { return }
        #expect(info.identifier == expected.uuid)
        #expect(info.entities.compactMapValues(\.versionHash) == expected.hashes)
        // The store may record an entity under its previous name.
        let counts = info.entities.compactMapValues(\.count)
        #expect(info.entities.count == expected.counts.count)
        #expect(counts.values.sorted() == expected.counts.values.sorted())
        for (name, count) in counts where expected.counts[name] != nil {
            #expect(expected.counts[name] == count, "\(name)")
        }
    }

    @Test(arguments: soundPaths)
    func `dump prints every object, the same each time`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let expected = Corpus.stores[path]
        let store = try Corpus.copy(path, into: folder.url)

        let run = try ToolRun(["store", "dump", store.path])
        let again = try ToolRun(["store", "dump", store.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.output == again.output)
        let lines = run.output.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == expected?.counts.values.reduce(0, +) ?? lines.count)
    }

    @Test(arguments: Corpus.storePathsWithoutModel)
    func `dump reports that the model is missing if the store contains none`(_ path: String) throws
    {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)

        let run = try ToolRun(["store", "dump", store.path])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("--model"))
    }

    @Test(arguments: soundPaths)
    func `verify finds no errors in real stores`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)

        let run = try ToolRun(["store", "verify", store.path])

        #expect(run.exitCode == 0, "\(run.text)\(run.errorText)")
    }

    @Test func `reading leaves every byte unchanged`() throws {
        for path in Corpus.storePaths {
            let folder = try TemporaryFolder()
            let store = try Corpus.copy(path, into: folder.url)
            let before = try Data(contentsOf: store)

            for command in ["info", "dump", "verify"] {
                _ = try ToolRun(["store", command, store.path])
            }

            #expect(try Data(contentsOf: store) == before, "\(path)")
        }
    }

    @Test func `verify works in a read-only folder`() throws {
        let tools = try TemporaryFolder()
        let command = try ToolRun.copyExecutable(into: tools.url)
        for path in Self.soundPaths {
            let folder = try TemporaryFolder()
            let store = try Corpus.copy(path, into: folder.url)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
            let before = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)

            let run = try ToolRun(["store", "verify", store.path], copyForNobody: command)

            #expect(run.exitCode == 0, "\(path): \(run.errorText)")
            let after = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(Set(after) == Set(before), "\(path)")
        }
    }
}

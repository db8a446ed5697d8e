import CairnTestSupport
import Foundation
import Testing

/// The tool on the real stores of the corpus, from the store alone.
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

    /// Stores of before iOS 9 (framework 637) keep no model.
    private static let pathsWithModel = Corpus.storePaths.filter {
        (Corpus.stores[$0]?.framework ?? 0) >= 637
    }
    private static let pathsWithoutModel = Corpus.storePaths.filter {
        (Corpus.stores[$0]?.framework ?? 0) < 637
    }

    @Test(arguments: Corpus.storePaths)
    func `info equals what was recorded`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let expected = try #require(Corpus.stores[path])
        let store = try Corpus.copy(path, into: folder.url)

        let run = try ToolRun(["store", "info", store.path, "--json"])

        #expect(run.exitCode == 0, "\(run.errorText)")
        let info = try JSONDecoder().decode(StoreInfo.self, from: run.output)
        #expect(info.type == "SQLite")
        #expect(info.identifier == expected.uuid)
        #expect(info.entities.compactMapValues(\.count) == expected.counts)
        #expect(info.entities.compactMapValues(\.versionHash) == expected.hashes)
    }

    @Test(arguments: pathsWithModel)
    func `dump has every object, twice the same`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let expected = try #require(Corpus.stores[path])
        let store = try Corpus.copy(path, into: folder.url)

        let run = try ToolRun(["store", "dump", store.path])
        let again = try ToolRun(["store", "dump", store.path])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.output == again.output)
        let lines = run.output.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == expected.counts.values.reduce(0, +))
    }

    @Test(arguments: pathsWithoutModel)
    func `dump says what is missing where the store keeps no model`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)

        let run = try ToolRun(["store", "dump", store.path])

        #expect(run.exitCode == 1)
        #expect(run.errorText.contains("--model"))
    }

    @Test(arguments: pathsWithModel)
    func `verify finds real stores sound`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(path, into: folder.url)

        let run = try ToolRun(["store", "verify", store.path])

        #expect(run.exitCode == 0, "\(run.text)\(run.errorText)")
    }

    @Test func `reading leaves every byte as it was`() throws {
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

    @Test func `verify reads where it may write nothing`() throws {
        let tools = try TemporaryFolder()
        let command = try ToolRun.copyExecutable(into: tools.url)
        for path in Self.pathsWithModel {
            let folder = try TemporaryFolder()
            let store = try Corpus.copy(path, into: folder.url)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
            let before = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)

            let run = try ToolRun(["store", "verify", store.path], nobodysCopy: command)

            #expect(run.exitCode == 0, "\(path): \(run.errorText)")
            let after = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(Set(after) == Set(before), "\(path)")
        }
    }
}

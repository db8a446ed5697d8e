import Cairn
import CairnTestSupport
import Foundation
import Testing

/// Each file in `Fixtures/Messages` contains the message about one typical mistake. `CAIRN_RECORD=1` writes the
/// files again.
@Suite struct `The messages about typical mistakes` {
    private static let folder = Repository.file("Fixtures/Messages")

    @Test(arguments: TypicalMistake.all)
    func `equal the recorded ones`(_ mistake: TypicalMistake) throws {
        let garden = try Garden()
        let golden = Self.folder.appending(path: "\(mistake.name).txt")

        let error = try #require(throws: (any Error).self) { try mistake.make(garden) }

        let message = Self.comparable("\(error)", garden)
        if TestSetting.text("CAIRN_RECORD") != nil {
            try Data("\(message)\n".utf8).write(to: golden)
        }
        #expect("\(message)\n" == (try? String(contentsOf: golden, encoding: .utf8)))
        #expect(error.localizedDescription == "\(error)")
        #expect((error as NSError).localizedDescription == "\(error)")
    }

    @Test func `are as many as the recorded files`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)

        #expect(TypicalMistake.all.count >= 30)
        #expect(files.sorted() == TypicalMistake.all.map { "\($0.name).txt" }.sorted())
    }

    /// Replaces what differs in each run and on each machine: folders, UUIDs, temporary keys, numbers of
    /// contexts, and the engines that other tests registered.
    private static func comparable(_ message: String, _ garden: Garden) -> String {
        message.replacing(garden.folder.url.path, with: "/folder")
            .replacing(/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/, with: "UUID")
            .replacing(/\/t[0-9]+-[0-9]+/, with: "/t1")
            .replacing(/“context [0-9]+”/, with: "“context 1”")
            .replacing(/known types are .*/, with: "known types are TYPES.")
            .replacing(/was found in .*\. Check/, with: "was found in FOLDERS. Check")
    }
}

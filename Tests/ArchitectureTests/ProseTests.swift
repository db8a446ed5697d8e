import CairnTestSupport
import Foundation
import Testing

/// Comments read as plain English. Files that nobody has touched since this rule is kept are on a list,
/// which only gets shorter.
@Suite struct `Prose` {
    private static let list = "Tests/ArchitectureTests/FilesWithOldProse.txt"

    private func listed() throws -> Set<String> {
        let text = try String(contentsOf: Repository.file(Self.list), encoding: .utf8)
        return Set(text.split(separator: "\n").map(String.init))
    }

    @Test func `of comments is plain in every file that is not on the list`() throws {
        let listed = try listed()

        let findings = try SourceFiles.all().filter { !listed.contains($0.path) }.flatMap { file in
            ProseRules.findings(in: file.text).map { "\(file.path), \($0)" }
        }

        #expect(findings == [])
    }

    @Test func `is not plain in each file on the list, which is taken off otherwise`() throws {
        let plain = try SourceFiles.all().filter { ProseRules.findings(in: $0.text).isEmpty }

        let listed = try listed()

        #expect(listed.intersection(plain.map(\.path)) == [])
        #expect(listed.subtracting(try SourceFiles.all().map(\.path)) == [])
    }

    @Test(arguments: [
        "/// Told by who saves.", "// Made anew each time.",
        "/// The ID; nil: there was no object.",
        "/// False where there is none.", "let a = 1 // Stands behind it.",
        "/// The place of a member.", "/// With room for so many.",
        "/// Throws, where nothing was saved.",
    ])
    func `that is hard to read is noticed`(_ source: String) {
        let findings = ProseRules.findings(in: source)

        #expect(findings.count == 1)
    }

    @Test(arguments: [
        "/// A reader who knows Core Data.", "// Changed in place.", "let place = places[who]",
        "/// The save has taken place.",
    ])
    func `that is plain is left alone`(_ source: String) {
        let findings = ProseRules.findings(in: source)

        #expect(findings == [])
    }
}

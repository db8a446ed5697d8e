import CairnTestSupport
import Foundation
import Testing

/// The essays in `docs/decisions` stay short enough to be read, and a reference to an essay leads to it.
@Suite struct `Decisions` {
    private static let mostWords = 900

    @Test func `are essays of at most 900 words`() throws {
        let essays = try SourceFiles.all(in: "docs/decisions", type: "md")

        let long = essays.filter { Self.wordCount(of: $0.text) > Self.mostWords }.map(\.path)

        #expect(essays.count > 10)
        #expect(long == [])
    }

    @Test func `that code, pages and scripts name exist`() throws {
        let essays = Set(try SourceFiles.all(in: "docs/decisions", type: "md").map(\.typeName))
        let scripts = try FileManager.default
            .contentsOfDirectory(atPath: Repository.file("script").path)
            .map { ("script/\($0)", (try? Repository.text("script/\($0)")) ?? "") }
        let files =
            try SourceFiles.pages()
            + SourceFiles.foldersOfCode.flatMap { try SourceFiles.all(in: $0) }
        let texts = files.map { ($0.path, $0.text) } + scripts

        let named = texts.flatMap { path, text in Self.essays(namedIn: text).map { (path, $0) } }
        let missing = named.filter { !essays.contains($0.1) }.map { "\($0.0): \($0.1)" }

        #expect(named.count > 50)
        #expect(missing == [])
    }

    @Test(arguments: [
        ("See docs/decisions/rows.md.", ["rows"]),
        ("[a](../decisions/several-stores.md#x)", ["several-stores"]),
        ("`docs/decisions/` has the reasons", []),
    ])
    func `are named by their paths`(_ text: String, _ expected: [String]) {
        let names = Self.essays(namedIn: text)

        #expect(names == expected)
    }

    private static func wordCount(of text: String) -> Int {
        text.split { $0.isWhitespace }.count
    }

    /// Returns the names of the essays to whose files a text refers.
    private static func essays(namedIn text: String) -> [String] {
        // A regular expression takes much longer than this test, which rejects most files.
        guard text.contains("decisions/") else { return [] }
        return text.matches(of: /decisions\/([\w-]+)\.md/).map { String($0.1) }
    }
}

import CairnTestSupport
import Foundation
import Testing

/// Comments are plain English, and names are unambiguous.
@Suite struct `Prose` {
    @Test func `of comments is plain`() throws {
        let files = try SourceFiles.foldersOfCode.flatMap { try SourceFiles.all(in: $0) }
            .filter { $0.typeName != "ProseRules" }
        let findings = files.flatMap { file in
            ProseRules.findings(in: file.text).map { "\(file.path), \($0)" }
        }

        #expect(files.count > 1_500)
        #expect(findings == [])
    }

    @Test func `of pages is plain`() throws {
        let pages = try SourceFiles.pages()
        let findings = pages.flatMap { page in
            ProseRules.findings(inPage: page.text).map { "\(page.path), \($0)" }
        }

        #expect(pages.count > 60)
        #expect(findings == [])
    }

    /// `String.withArticle` chooses between “a” and “an”.
    @Test func `of messages has no fixed article before an inserted word`() throws {
        let findings = try SourceFiles.all().flatMap { file in
            ProseRules.fixedArticles(in: file.text).map { "\(file.path), line \($0)" }
        }

        #expect(findings == [])
    }

    @Test(arguments: [
        (#"let a = "became a \(word)""#, [1]), (#""an \(word)""#, [1]),
        (
            #"    "it became a ""# + "\n"
                + #"    + "\(word)""#, [1]
        ),
        (#"// "a \(word)""#, []), (#""a word \(word)""#, []), (#""\(a) \(word)""#, []),
        (#""a " + "word""#, []),
    ])
    func `with a fixed article is detected`(_ source: String, _ expected: [Int]) {
        let lines = ProseRules.fixedArticles(in: source)

        #expect(lines == expected)
    }

    @Test func `of names does not use the word place, which means five things`() throws {
        let findings = try SourceFiles.all().flatMap { file in
            ProseRules.vagueNames(in: file.text).map { "\(file.path): \($0)" }
        }

        #expect(findings == [])
    }

    @Test(arguments: [
        ("let place = 1", ["place"]), ("rows.sortedPlaces()", ["sortedPlaces"]),
        ("struct RowPlace {}", ["RowPlace"]), ("// let place = 1", []),
        ("InPlaceMigration.replace(placeholder)", []), ("StorePlacement(misplacedBytes)", []),
    ])
    func `with vague names is detected`(_ source: String, _ expected: [String]) {
        let names = ProseRules.vagueNames(in: source)

        #expect(names == expected)
    }

    @Test(arguments: [
        "/// Told by who saves.", "// Made anew each time.",
        "/// The ID; nil: there was no object.",
        "/// False where there is none.", "let a = 1 " + "// Stands behind it.",
        "/// The place of a member.", "/// With room for so many.",
        "/// Throws, where nothing was saved.",
    ])
    func `that is hard to read is detected`(_ source: String) {
        let findings = ProseRules.findings(in: source)

        #expect(findings.count == 1)
    }

    @Test(arguments: [
        "/// A reader who knows Core Data.", "// Changed in place.", "let place = places[who]",
        "/// The save has taken place.",
    ])
    func `that is plain is accepted`(_ source: String) {
        let findings = ProseRules.findings(in: source)

        #expect(findings == [])
    }
}

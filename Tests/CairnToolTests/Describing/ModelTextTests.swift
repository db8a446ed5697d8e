import Cairn
import CairnTestSupport
import Foundation
import Testing

@testable import CairnTool

/// Tests `cairn model info` with a model that contains declarations of every kind.
@Suite struct `A model as text` {
    private static func model() throws -> ManagedObjectModel {
        var title = AttributeDescription(
            "title", .string, isOptional: false, defaultValue: "untitled",
            validationRules: [
                .minimumLength(1), .maximumLength(200), .matches(regularExpression: "[A-Z].*"),
            ])
        title.renamingIdentifier = "name"
        let pages = AttributeDescription(
            "pages", .integer32, isOptional: true, defaultValue: .integer(1),
            validationRules: [
                .minimum(1),
                .predicate(try FetchPredicate(format: "SELF != 13"), warning: "no 13"),
            ])
        var published = AttributeDescription("published", .date)
        published.defaultValue = .date(Date(timeIntervalSinceReferenceDate: 0.5))
        published.validationRules = [.maximum(.date(Date(timeIntervalSinceReferenceDate: 86_400)))]
        var key = AttributeDescription("sortKey", .string)
        key.derivation = Derivation(expression: "canonical:(title)")
        var cover = AttributeDescription("cover", .binary)
        cover.allowsExternalBinaryDataStorage = true
        var size = AttributeDescription("size", .composite)
        size.compositeName = "Size"
        var note = AttributeDescription("note", .string)
        note.isTransient = true
        note.userInfo = ["shown": "never\nhere"]
        var authors = RelationshipDescription.toMany(
            "authors", "Author", inverse: "books", isOrdered: true, isOptional: false)
        authors.minimumCount = 1
        authors.maximumCount = 9
        var template = FetchRequestTemplate(
            entity: "Book",
            condition: .predicate(
                try FetchPredicate(format: "title == $FETCH_SOURCE.title")))
        template.sortDescriptors = [.init("title"), .init("pages", isAscending: false)]
        template.fetchLimit = 3
        var book = EntityDescription(
            "Book",
            [
                .attribute(title), .attribute(pages), .attribute(published), .attribute(key),
                .attribute(cover), .attribute(size), .attribute(note), .relationship(authors),
                .toOne("sequel", "Book"),
                .fetchedProperty(FetchedPropertyDescription("namesakes", template)),
            ])
        book.managedObjectClassName = "LibraryBook"
        book.uniquenessConstraints = [["title", "pages"]]
        book.fetchIndexes = [
            FetchIndexDescription(
                "byPages", elements: [.init("pages", isAscending: false), .init("title")],
                partialPredicate: try FetchPredicate(format: "pages > 10"))
        ]
        var author = EntityDescription(
            "Author",
            [
                .attribute("name", .string),
                .toMany("books", "Book", inverse: "authors", deleteRule: .deny),
            ])
        author.isAbstract = true
        var poet = EntityDescription("Poet", superentity: "Author")
        poet.renamingIdentifier = "Bard"
        var description = ModelDescription([book, author, poet])
        description.composites = [
            CompositeDescription("Size", [AttributeDescription("width", .double)])
        ]
        description.configurations = ["Local": ["Book", "Author", "Poet"]]
        description.fetchRequestTemplates = ["thick": FetchRequestTemplate(entity: "Book")]
        description.versionIdentifiers = ["4.2"]
        return try ManagedObjectModel(description)
    }

    @Test func `has everything that its author declared`() throws {
        let text = ModelText(try Self.model()).paragraphs.joined(separator: "\n\n")
            .replacing(/checksum .*/, with: "checksum C").replacing(/[0-9a-f]{12}…/, with: "H…")

        #expect(
            text == #"""
                3 entities · version identifier “4.2” · checksum C

                abstract Author
                    name   string       optional
                    books  → many Book  optional · inverse authors · delete rule deny

                    subentities   Poet
                    version hash  H…

                Book
                    cover      binary                 optional · large values in files of their own
                    note       string                 optional · transient · user info shown = never here
                    pages      integer32              optional · default 1 · at least 1 · valid if SELF != 13 (“no 13”)
                    published  date                   optional · default 2001-01-01T00:00:00.5Z · at most 2001-01-02T00:00:00Z
                    size       composite              optional · composite Size
                    sortKey    string                 optional · derived from canonical:(title)
                    title      string                 required · default “untitled” · 1 to 200 characters · matches [A-Z].* · renamed from name
                    authors    → many ordered Author  required · inverse books · delete rule nullify · 1 to 9 members
                    sequel     → Book                 optional · no inverse · delete rule nullify
                    namesakes  fetch of Book          where title == $FETCH_SOURCE.title · sorted by title, pages descending · at most 3

                    class         LibraryBook
                    unique        title, pages
                    index         byPages: pages descending, title, where pages > 10
                    version hash  H…

                Poet : Author
                    inherits      name, books
                    renamed from  Bard
                    version hash  H…

                composite Size
                    width  double

                Configurations
                    Local  Author, Book, Poet

                Fetch requests
                    thick  fetch of Book
                """#)
    }

    @Test func `is also available as JSON`() throws {
        let data = try JSONEncoder.forTool(pretty: false).encode(ModelReport(Self.model()))

        let object = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let entities = try #require(object["entities"] as? [String: [String: Any]])
        let book = try #require(entities["Book"])
        let attributes = try #require(book["attributes"] as? [String: [String: Any]])
        let title = try #require(attributes["title"])
        #expect(title["defaultValue"] as? String == "untitled")
        #expect(title["isOptional"] as? Bool == false)
        #expect(title["renamingIdentifier"] as? String == "name")
        let rules = try #require(title["validationRules"] as? [[String: Any]])
        #expect(
            rules.map { $0["rule"] as? String } == ["minimumLength", "maximumLength", "matches"])
        #expect(rules[1]["value"] as? Int == 200)
        #expect(attributes["published"]?["defaultValue"] as? String == "2001-01-01T00:00:00.5Z")
        #expect(
            (attributes["sortKey"]?["derivation"] as? [String: String])?["expression"]
                == "canonical:(title)")
        #expect(book["uniquenessConstraints"] as? [[String]] == [["title", "pages"]])
        let index = try #require((book["indexes"] as? [[String: Any]])?.first)
        #expect(index["partialPredicate"] as? String == "pages > 10")
        let authors = try #require((book["relationships"] as? [String: [String: Any]])?["authors"])
        #expect(authors["maximumCount"] as? Int == 9)
        #expect(authors["deleteRule"] as? String == "nullify")
        let namesakes = try #require(
            (book["fetchedProperties"] as? [String: [String: Any]])?["namesakes"])
        #expect(namesakes["predicate"] as? String == "title == $FETCH_SOURCE.title")
        #expect((object["configurations"] as? [String: [String]])?["Local"]?.count == 3)
        #expect(entities["Poet"]?["indexes"] == nil)
    }

    @Test func `can be that inside a store`() throws {
        let fixture = Repository.file("Fixtures/Trails.sqlite").path

        let run = try ToolRun(["model", "info", fixture])

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(
            run.text.contains(
                "\n    beds           integer16  required · default 0 · 0 to 400\n"))
        #expect(run.text.contains("\n    unique        name\n"))
        #expect(run.text.contains("\n    index         byElevation: elevation\n"))
    }

    @Test(.enabled(if: Corpus.isThere)) func `can be printed for every real store with a model`()
        throws
    {
        for path in Corpus.storePathsWithModel {
            let folder = try TemporaryFolder()
            let store = try Corpus.copy(path, into: folder.url)

            // Skip stores whose table for the model the app has emptied.
            guard try SQLiteStore.model(at: .file(store)) != nil else { continue }
            let text = try ToolRun(["model", "info", store.path])
            let json = try ToolRun(["model", "info", store.path, "--json"])

            #expect(text.exitCode == 0 && json.exitCode == 0, "\(path): \(text.errorText)")
            #expect(text.text.contains("version hash"), "\(path)")
        }
    }
}

import CairnModel
import Foundation
import GraphSupport
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnQueries
@testable import CairnStack

@Suite struct `Snapshots of objects` {
    private let context: ManagedObjectContext
    private let author: Author
    private let novel: Novel

    init() throws {
        context = try Self.emptyContext()
        author = try Author(context: context)
        author.name = "George Eliot"
        author.born = Date(timeIntervalSince1970: -4_740_681_600)
        novel = try Novel(context: context)
        novel.title = "Middlemarch"
        novel.pages = .max
        novel.price = Decimal(string: "12.30")
        novel.rating = 0.1
        novel.weight = -0.0
        novel.cover = Data([0, 255])
        novel.genre = .novel
        novel.id = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
        novel.page = URL(string: "https://example.org/a?b=c")
        novel.note = "lent to Ann"
        novel.author = author
        for title in ["Miss Brooke", "Old and Young"] {
            let chapter = try Chapter(context: context)
            chapter.title = title
            novel.chapters.append(chapter)
        }
    }

    private static func emptyContext() throws -> ManagedObjectContext {
        try MusicStack(Library.entities).context(
            classes: ObjectClasses([Author.self, Book.self, Novel.self, Chapter.self]))
    }

    private func json<Object: ManagedObject>(_ snapshot: ObjectSnapshot<Object>) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(snapshot), as: UTF8.self)
    }

    private func decoded<Object: ManagedObject>(_ json: String) throws -> ObjectSnapshot<Object> {
        try JSONDecoder().decode(ObjectSnapshot<Object>.self, from: Data(json.utf8))
    }

    /// What an insertion of the JSON says.
    private func refusal<Object: ManagedObject>(_ type: Object.Type, _ json: String) throws
        -> String
    {
        let empty = try Self.emptyContext()
        let snapshot: ObjectSnapshot<Object> = try decoded(json)
        let error = #expect(throws: GraphError.self) { _ = try empty.insert(snapshot) }
        #expect(empty.insertedObjects.isEmpty)
        return error.map { "\($0)" } ?? ""
    }

    @Test func `are the JSON of the model`() throws {
        #expect(
            try json(author.snapshot(including: .through(\.books, .through(\.author)))) == """
                {
                  "@entity" : "Author",
                  "@ref" : 1,
                  "books" : [
                    {
                      "@entity" : "Novel",
                      "author" : {
                        "@ref" : 1
                      },
                      "copies" : null,
                      "cover" : "AP8=",
                      "genre" : "novel",
                      "id" : "00112233-4455-6677-8899-AABBCCDDEEFF",
                      "isLent" : null,
                      "note" : "lent to Ann",
                      "page" : "https://example.org/a?b=c",
                      "pages" : 9223372036854775807,
                      "price" : "12.3",
                      "rating" : 0.1,
                      "setting" : null,
                      "title" : "Middlemarch",
                      "volume" : null,
                      "weight" : -0
                    }
                  ],
                  "born" : "1819-10-11T00:00:00Z",
                  "name" : "George Eliot",
                  "rank" : null
                }
                """)
    }

    @Test func `contain only the relationships that were chosen`() throws {
        let alone = try novel.snapshot()
        let full = try novel.snapshot(including: .through(\.chapters), .through(\.author))

        #expect(alone.fields["author"] == nil && alone.fields["chapters"] == nil)
        guard case .list(let chapters)? = full.fields["chapters"],
            case .fields(let first)? = chapters.first, case .fields? = full.fields["author"]
        else {
            Issue.record("\(full)")
            return
        }
        #expect(chapters.count == 2)
        #expect(first["title"] == .text("Miss Brooke"))
        #expect(try novel.snapshot(includingKeyPaths: ["chapters", "author"]) == full)
    }

    @Test func `are equal after encoding, and their copies have equal ones`() throws {
        let snapshot = try author.snapshot(
            including: .through(\.books, .through(\.chapters)), .through(\.mentor))
        let other = try Self.emptyContext()

        let received: ObjectSnapshot<Author> = try decoded(json(snapshot))
        let copy = try other.insert(received)

        #expect(received == snapshot)
        #expect(snapshot.hashValue == received.hashValue)
        let again = try copy.snapshot(
            including: .through(\.books, .through(\.chapters)), .through(\.mentor))
        #expect(again == snapshot)
        #expect(Array(copy.books).first is Novel)
    }

    @Test func `provide their values by name and type`() throws {
        let snapshot = try novel.snapshot()

        #expect(snapshot.entityName == "Novel")
        #expect(snapshot.value("title") == "Middlemarch")
        #expect(snapshot.value("pages", as: Int.self) == .max)
        #expect(snapshot.value("genre", as: Genre.self) == .novel)
        #expect(snapshot.value("price", as: Decimal.self) == Decimal(string: "12.3"))
        #expect(snapshot.value("rating", as: Float.self) == 0.1)
        #expect(snapshot.value("cover") == Data([0, 255]))
        #expect(snapshot.value("setting", as: String.self) == nil)
        #expect(snapshot.value("title", as: Int.self) == nil)
        #expect(snapshot.value("nothing", as: String.self) == nil)
    }

    @Test func `write an object that they reach twice only once`() throws {
        let pupil = try Author(context: context)
        pupil.mentor = author
        author.mentor = author
        let snapshot = try pupil.snapshot(
            includingKeyPaths: ["mentor.mentor.mentor", "mentor.pupils"])

        let received: ObjectSnapshot<Author> = try decoded(json(snapshot))
        let other = try Self.emptyContext()
        let copy = try other.insert(received)

        #expect(copy.mentor !== copy)
        #expect(copy.mentor?.mentor === copy.mentor)
        #expect(copy.mentor?.pupils.contains(copy) == true)
        #expect(other.insertedObjects.count == 2)
    }

    @Test func `do not nest as deep as the chain of objects`() throws {
        // Each author has two mentors' pupils in common with the next one.
        var last = author
        for _ in 0..<3_000 {
            let next = try Author(context: context)
            next.mentor = last
            last = next
        }
        for other in try context.fetch(Author.self) where other !== author {
            other.mentor = author
        }
        let snapshot = try author.snapshot(
            includingKeyPaths: ["pupils.mentor.pupils.mentor.pupils"])

        let received: ObjectSnapshot<Author> = try decoded(json(snapshot))
        let other = try Self.emptyContext()
        let copy = try other.insert(received)

        #expect(copy.pupils.count == 3_000)
    }

    @Test func `that do not fit the model are refused, and nothing is inserted`() throws {
        #expect(try refusal(Author.self, #"{"nam": "x"}"#).contains("Did you mean “name”?"))
        #expect(try refusal(Author.self, #"{"name": 1}"#).contains("name"))
        #expect(try refusal(Author.self, #"{"rank": 40000}"#).contains("rank"))
        #expect(try refusal(Author.self, #"{"rank": 1.5}"#).contains("rank"))
        #expect(try refusal(Author.self, #"{"born": "yesterday"}"#).contains("born"))
        #expect(try refusal(Author.self, #"{"books": {}}"#).contains("an array of objects"))
        #expect(try refusal(Author.self, #"{"books": [1]}"#).contains("objects"))
        #expect(try refusal(Author.self, #"{"books": [{}, {"pages": "x"}]}"#).contains("pages"))
        #expect(try refusal(Author.self, #"{"mentor": []}"#).contains("an object or nil"))
        #expect(try refusal(Author.self, #"{"mentor": {"@ref": 7}}"#).contains("7"))
        #expect(
            try refusal(Author.self, #"{"@ref": 1, "books": [{"@ref": 1, "pages": 1}]}"#)
                .contains("no other object"))
        #expect(try refusal(Author.self, #"{"@ref": "x"}"#).contains("@ref"))
        #expect(
            try refusal(Author.self, #"{"@ref": 1, "books": [{"@ref": 1}]}"#).contains("Book"))
        #expect(try refusal(Author.self, #"{"@entity": "Autor"}"#).contains("Author"))
        #expect(try refusal(Author.self, #"{"@entity": "Book"}"#).contains("Author"))
        #expect(try refusal(Author.self, #"{"@entity": 1}"#).contains("@entity"))
        #expect(throws: DecodingError.self) {
            let _: ObjectSnapshot<Author> = try decoded("[]")
        }
    }

    @Test func `refuse a name that is not a relationship`() throws {
        #expect(throws: GraphError.self) { _ = try author.snapshot(includingKeyPaths: ["name"]) }
        #expect(throws: GraphError.self) { _ = try author.snapshot(includingKeyPaths: ["bookz"]) }
    }

    @Test func `read the members of a relationship with few calls to the store`() throws {
        let stack = try MusicStack(Library.entities)
        let other = try stack.context(
            classes: ObjectClasses([Author.self, Book.self, Novel.self, Chapter.self]))
        let eliot = try Author(context: other)
        for _ in 0..<100 { try Book(context: other).author = eliot }
        try other.save()
        other.reset()
        let found = try #require(try other.first(Author.self))
        let before = stack.source.calls

        _ = try found.snapshot(including: .through(\.books))

        let calls = ["relatedIDs", "rows", "row"].map {
            stack.source.calls[$0, default: 0] - before[$0, default: 0]
        }
        #expect(calls == [1, 1, 0])
    }
}

import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Testing

@Suite struct `The text of a graph` {
    private func library(_ type: StoreType = .inMemory) async throws -> PersistentContainer {
        try await .temporary(
            type: type, ManagedObjectModel(Library.entities),
            classes: ObjectClasses([Author.self, Book.self, Novel.self, Chapter.self]))
    }

    /// Inserts two authors with books, in an order that the generator determines.
    private static func fill(
        _ context: ManagedObjectContext, _ random: inout SeededRandom
    ) throws {
        let eliot = try FixtureBuilder(context).make(Author.self) { $0.name = "George Eliot" }
        var books: [Book] = []
        for title in ["Middlemarch", "Adam Bede"].shuffled(using: &random) {
            let book = try Novel(context: context)
            book.title = title
            // Strings are compared first, so the novel with more pages comes first.
            book.pages = 100 - title.count
            books.append(book)
        }
        for book in books.shuffled(using: &random) { eliot.books.insert(book) }
        let lewes = try Author(context: context)
        lewes.name = "G. H. Lewes"
        lewes.mentor = eliot
        let first = try #require(books.first { $0.title == "Adam Bede" })
        for title in ["The Workshop", "The Preaching"] {
            let chapter = try Chapter(context: context)
            chapter.title = title
            first.chapters.append(chapter)
        }
    }

    private static let text = """
        Author#1
          name: "G. H. Lewes"
          mentor: Author#2
        Author#2
          name: "George Eliot"
          books: {Novel#1, Novel#2}
          pupils: {Author#1}
        Chapter#1
          title: "The Preaching"
          book: Novel#1
        Chapter#2
          title: "The Workshop"
          book: Novel#1
        Novel#1
          pages: 91
          title: "Adam Bede"
          author: Author#2
          chapters: [Chapter#2, Chapter#1]
        Novel#2
          pages: 89
          title: "Middlemarch"
          author: Author#2
        """

    @Test(arguments: everyEngine)
    func `is the same before and after a save, on each engine and in each order`(
        _ type: StoreType
    ) async throws {
        for seed in 1...4 {
            let container = try await library(type)
            let before = try await container.perform { context in
                var random = SeededRandom(seed: UInt64(seed))
                try Self.fill(context, &random)
                let before = try context.graphText()
                try context.save()
                #expect(try context.graphText() == before)
                return before
            }
            let after = try await container.perform { try $0.graphText() }

            #expect(before == Self.text)
            #expect(after == Self.text)
        }
    }

    @Test func `shows unsaved changes but no deleted objects`() async throws {
        let container = try await library()

        let text = try await container.perform { context in
            let (kept, deleted) = (try Author(context: context), try Author(context: context))
            (kept.name, deleted.name, kept.mentor) = ("A", "B", deleted)
            try context.save()
            kept.name = "C"
            try context.delete(deleted)
            return try context.graphText()
        }

        #expect(text == "Author#1\n  name: \"C\"")
    }

    @Test func `of an empty graph is empty`() async throws {
        #expect(try await library().perform { try $0.graphText() } == "")
    }

    @Test func `shows new objects of a context without a store`() async throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Library.entities))

        let text = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.insertNewObject(forEntityName: "Chapter")
            return try context.graphText()
        }

        #expect(text == "Chapter#1")
    }

    // MARK: Parts

    @Test func `can be that of some entities or objects`() async throws {
        let (ofEntities, ofObjects, error) = try await library().perform { context in
            var random = SeededRandom(seed: 1)
            try Self.fill(context, &random)
            let authors = try context.fetch(
                Author.self, where: #Predicate { $0.name == "G. H. Lewes" })
            return (
                try context.graphText(ofEntities: "Book"),
                try context.graphText(of: Array(authors)),
                #expect(throws: GraphError.self) { try context.graphText(ofEntities: "Boook") }
            )
        }

        #expect(
            ofEntities == """
                Novel#1
                  pages: 91
                  title: "Adam Bede"
                  author: Author#2
                  chapters: [Chapter#2, Chapter#1]
                Novel#2
                  pages: 89
                  title: "Middlemarch"
                  author: Author#2
                """)
        #expect(ofObjects == "Author#1\n  name: \"G. H. Lewes\"\n  mentor: Author#2")
        guard case .unknownEntity("Boook", _)? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test @MainActor func `of objects of another context is refused`() async throws {
        let author = try Author(context: try await library().viewContext)
        let other = try await library().viewContext

        let error = #expect(throws: GraphError.self) { try other.graphText(of: [author]) }

        guard case .wrongContext? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test(arguments: [["id"], ["Book.id"], ["Novel.id"]])
    func `ignores excluded values, even for the order`(
        _ names: Set<String>
    ) async throws {
        let container = try await library()

        let texts = try await container.perform { context in
            try (1...8).map { _ in
                context.reset()
                for pages in 1...3 {
                    let novel = try Novel(context: context)
                    (novel.id, novel.pages) = (UUID(), pages)
                }
                return try context.graphText(omitting: names)
            }
        }

        #expect(
            Set(texts) == [
                """
                Novel#1
                  pages: 1
                  title: ""
                Novel#2
                  pages: 2
                  title: ""
                Novel#3
                  pages: 3
                  title: ""
                """
            ])
    }

    // MARK: Order

    @Test func `distinguishes equal objects by their related objects`() async throws {
        for seed in 1...5 {
            let text = try await library().perform { context in
                var random = SeededRandom(seed: UInt64(seed))
                // A chain of authors without values. Each differs from the others only by its position in the
                // chain.
                let authors = try (0..<6).map { _ in try Author(context: context) }
                    .shuffled(using: &random)
                for (pupil, mentor) in zip(authors, authors.dropFirst()) { pupil.mentor = mentor }
                return try context.graphText(omitting: ["pupils", "name"])
            }

            #expect(text == Self.chain, "seed \(seed)")
        }
    }

    /// The ends of the chain come first, because they have no mentor or no pupil: 2 → 4 → 6 → 5 → 3 → 1.
    private static let chain = """
        Author#1
        Author#2
          mentor: Author#4
        Author#3
          mentor: Author#1
        Author#4
          mentor: Author#6
        Author#5
          mentor: Author#3
        Author#6
          mentor: Author#5
        """

    @Test func `distinguishes members of an ordered relationship by their positions`() async throws
    {
        for seed in 1...5 {
            let text = try await library().perform { context in
                var random = SeededRandom(seed: UInt64(seed))
                let book = try Book(context: context)
                let chapters = try (0..<5).map { _ in try Chapter(context: context) }
                for chapter in chapters.shuffled(using: &random) { book.chapters.append(chapter) }
                return try context.graphText(of: [book])
            }

            #expect(text.hasSuffix("[Chapter#1, Chapter#2, Chapter#3, Chapter#4, Chapter#5]"))
        }
    }

    @Test func `of interchangeable objects does not depend on their order of creation`()
        async throws
    {
        let texts = try await library().perform { context in
            var random = SeededRandom(seed: 7)
            return try (1...6).map { _ in
                context.reset()
                // Two rings. No object differs from the other objects of its ring.
                let authors = try (0..<8).map { _ in try Author(context: context) }
                    .shuffled(using: &random)
                for ring in [authors[..<5], authors[5...]] {
                    for (pupil, mentor) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
                        pupil.mentor = mentor
                    }
                }
                return try context.graphText(omitting: ["name"])
            }
        }

        // The rings have 5 and 3 members. Colour refinement cannot distinguish them, so either may come
        // first.
        #expect(Set(texts).count <= 2)
        let text = try #require(texts.first)
        #expect(text.contains("Author#8\n") && !text.contains("Author#9"))
    }

    @Test func `puts each of many members on its own line`() async throws {
        let text = try await library().perform { context in
            let author = try Author(context: context)
            for number in 1...12 {
                let book = try Book(context: context)
                book.pages = number
                author.books.insert(book)
            }
            return try context.graphText(of: [author])
        }

        #expect(
            text.hasPrefix(
                "Author#1\n  name: \"\"\n  books: {\n    Book#1\n    Book#2\n    Book#3\n"))
        #expect(text.hasSuffix("\n    Book#12\n  }"))
    }

    // MARK: Values

    @Test(arguments: everyEngine)
    func `shows each value exactly`(_ type: StoreType) async throws {
        let container = try await library(type)
        try await container.perform { context in
            let author = try Author(context: context)
            author.name = "“Ü\"\n\\"
            author.born = Date(timeIntervalSince1970: -0.25)
            author.rank = -3
            let book = try Book(context: context)
            book.title = ""
            book.price = Decimal(string: "1234567.89")
            book.weight = 0.1
            book.rating = 2.5
            book.isLent = true
            book.id = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
            book.page = URL(string: "https://example.com/a?b=c")
            book.cover = Data([1, 2, 3])
            book.genre = .poems
            book.note = "transient"
            book.author = author
            #expect(try !context.graphText().contains("note"))
            try context.save()
        }

        let text = try await container.perform { try $0.graphText() }

        #expect(
            text == #"""
                Author#1
                  born: 1969-12-31T23:59:59.75Z
                  name: "“Ü\"\n\\"
                  rank: -3
                  books: {Book#1}
                Book#1
                  cover: 3 bytes (b78697b3)
                  genre: "poems"
                  id: 6BA7B810-9DAD-11D1-80B4-00C04FD430C8
                  isLent: true
                  page: https://example.com/a?b=c
                  price: 1234567.89
                  rating: 2.5
                  title: ""
                  weight: 0.1
                  author: Author#1
                """#)
    }

    @Test func `describes dates outside the calendar by their seconds`() async throws {
        let texts = try await library().perform { context in
            let author = try Author(context: context)
            return try [Double.nan, .infinity, 1e300, -6e12].map { interval in
                author.born = Date(timeIntervalSinceReferenceDate: interval)
                return try context.graphText(omitting: ["name"])
            }
        }

        #expect(
            texts == [
                "Author#1\n  born: nan seconds since 2001",
                "Author#1\n  born: inf seconds since 2001",
                "Author#1\n  born: 1e+300 seconds since 2001",
                "Author#1\n  born: -6000000000000.0 seconds since 2001",
            ])
    }
}

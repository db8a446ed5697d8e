import CairnModel
import Foundation
import GraphSupport
import Observation
import StackSupport
import Synchronization
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Properties by name` {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack(Library.entities)
        context = try stack.context(
            classes: ObjectClasses([Author.self, Book.self, Novel.self, Chapter.self]))
    }

    /// Sets each property of a book to a distinct value.
    private func fill(_ book: Novel) throws {
        book.title = "Middlemarch"
        book.pages = .max
        book.copies = -7
        book.price = Decimal(string: "12.345")
        book.weight = 1.5
        book.rating = 0.25
        book.isLent = true
        book.id = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
        book.page = URL(string: "https://example.org/a")
        book.cover = Data([1, 2, 3])
        book.genre = .travel
        book.volume = .second
        book.note = "lent to Ann"
        book.setting = "Coventry"
        book.author = try Author(context: context)
    }

    private func expectAll(_ book: Novel) {
        #expect(book.title == "Middlemarch")
        #expect(book.pages == .max)
        #expect(book.copies == -7)
        #expect(book.price == Decimal(string: "12.345"))
        #expect(book.weight == 1.5)
        #expect(book.rating == 0.25)
        #expect(book.isLent)
        #expect(book.id == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(book.page == URL(string: "https://example.org/a"))
        #expect(book.cover == Data([1, 2, 3]))
        #expect(book.genre == .travel)
        #expect(book.volume == .second)
        #expect(book.setting == "Coventry")
        #expect(book.author?.books.contains(book) == true)
    }

    @Test
    func `keep the values that they were set to, in a new object, its row, and after a change`()
        throws
    {
        let book = try Novel(context: context)
        try fill(book)
        expectAll(book)
        #expect(book.note == "lent to Ann")
        try context.save()
        try context.refreshAllObjects()
        expectAll(book)
        book.isMarked = true
        book.weight = 1.75
        book.weight = 1.5
        expectAll(book)
        #expect(book.note == nil)
    }

    @Test func `have the same values as the model's names`() throws {
        let book = try Novel(context: context)
        try fill(book)
        try context.save()
        try context.refreshAllObjects()

        #expect(try book.value(forKey: "pages") as? Int64 == .max)
        #expect(try book.value(forKey: "genre") as? String == "travel")
        #expect(try book.value(forKey: "volume") as? Int64 == 2)
        #expect(try book.value(forKey: "setting") as? String == "Coventry")
        try book.setValue("Loamshire", forKey: "setting")
        #expect(book.setting == "Loamshire")
    }

    @Test func `read nil as nil, or as zero if the type has no nil`() throws {
        let book = try Novel(context: context)
        book.pages = 3
        book.cover = Data([1])
        try context.save()
        try book.setValue(nil, forKey: "pages")
        book.cover = nil
        try context.save()
        try context.refreshAllObjects()

        #expect(book.pages == 0)
        #expect(book.weight == 0)
        #expect(!book.isLent)
        #expect(
            book.copies == nil && book.price == nil && book.rating == nil && book.id == nil
                && book.page == nil && book.cover == nil && book.genre == nil && book.author == nil)
    }

    @Test func `set both ends of a relationship`() throws {
        let (author, other) = (try Author(context: context), try Author(context: context))
        let books = try (0..<3).map { _ in try Book(context: context) }
        books[0].author = author
        author.books.insert(books[1])
        author.books.formUnion(books)

        #expect(author.books.count == 3)
        #expect(Set(author.books) == Set(books))
        #expect(books.allSatisfy { $0.author === author })

        other.books = [books[0], books[2]]
        #expect(Set(author.books) == [books[1]])
        author.books.remove(books[1])
        #expect(author.books.isEmpty && books[1].author == nil)
        other.mentor = author
        #expect(author.pupils.contains(other))
        other.books.removeAll()
        #expect(books.allSatisfy { $0.author == nil })
    }

    @Test func `keep the order of an ordered relationship`() throws {
        let book = try Book(context: context)
        let chapters = try (0..<4).map { _ in try Chapter(context: context) }
        for chapter in chapters.dropLast() { book.chapters.append(chapter) }
        book.chapters.insert(chapters[3], at: 1)
        try context.save()
        try context.refreshAllObjects()

        #expect(book.chapters.map { $0 } == [0, 3, 1, 2].map { chapters[$0] })
        #expect(book.chapters[1] === chapters[3])
        #expect(book.chapters.first === chapters[0] && book.chapters.last === chapters[2])
        #expect(book.chapters.firstIndex(of: chapters[2]) == 3)

        book.chapters.move(chapters[2], to: 0)
        book.chapters.remove(at: 1)
        #expect(Array(book.chapters) == [chapters[2], chapters[3], chapters[1]])
        book.chapters = OrderedMembers(chapters.reversed())
        #expect(Array(book.chapters) == chapters.reversed())
        #expect(chapters.allSatisfy { $0.book === book })
    }

    @Test func `inserting into a large relationship reads none of its members`() throws {
        let author = try Author(context: context)
        for _ in 0..<2_000 { try Book(context: context).author = author }
        try context.save()
        context.reset()
        let same = try #require(try context.object(with: author.objectID) as? Author)
        stack.source.resetCounts()

        let book = try Book(context: context)
        same.books.insert(book)

        #expect(book.author === same)
        #expect(stack.source.calls.isEmpty, "\(stack.source.calls)")
    }

    @Test func `report a raw value that is not a case of the enum`() throws {
        let book = try Book(context: context)
        try book.setValue("essay", forKey: "genre")
        try context.save()
        try context.refreshAllObjects()
        var reports: [String] = []
        context.faultFailureHandler = { error, _ in reports.append(error.description) }

        #expect(book.genre == nil)
        #expect(reports.count == 1)
        #expect(reports.first?.contains("Genre") == true, "\(reports)")
    }

    @Test func `report an object of another context, and change nothing`() throws {
        let other = try stack.context(classes: ObjectClasses([Author.self, Book.self]))
        let stranger = try Author(context: other)
        let book = try Book(context: context)
        var reports: [GraphError] = []
        context.faultFailureHandler = { error, _ in reports.append(error) }

        book.author = stranger

        guard case .wrongContext = reports.first else {
            Issue.record("\(reports)")
            return
        }
        #expect(book.author == nil)
    }

    @Test func `make an object larger by one block of 16 bytes`() {
        #expect(class_instanceSize(ManagedObject.self) <= 56)
        #expect(class_instanceSize(Author.self) <= 56 + 16)
    }

    @Test func `an unregistered class becomes its entity's class, as do the classes it refers to`()
        throws
    {
        let context = try stack.context()
        let author = try Author(context: context)
        author.name = "Eliot"
        let book = try Book(context: context)
        book.author = author
        try context.save()
        let second = try stack.context()

        let found: [Author] = try second.fetch(FetchRequest<Author>("Author"))

        #expect(found.map(\.name) == ["Eliot"])
        #expect(found.first?.books.map { $0.title } == [""])
    }

    private func class_instanceSize(_ objectClass: AnyClass) -> Int {
        let marks = ClassMarks.of(objectClass as! ManagedObject.Type).marks
        return (marks.map { $0.offset + 1 }.max() ?? 56)
    }

    @Test func `are observed without any code in the class`() throws {
        context.observesObjects = true
        let author = try Author(context: context)
        let book = try Novel(context: context)
        book.author = author
        try context.save()
        let changes: [(String, (Novel) throws -> Void, (Novel) throws -> Void)] = [
            ("a text", { _ = $0.title }, { $0.title = "new" }),
            ("a number", { _ = $0.pages }, { $0.pages = 7 }),
            ("an optional", { _ = $0.copies }, { $0.copies = 7 }),
            ("an enum", { _ = $0.genre }, { $0.genre = .poems }),
            ("a transient", { _ = $0.note }, { $0.note = "new" }),
            ("a to-one", { _ = $0.author }, { $0.author = nil }),
            (
                "a to-many", { _ = $0.chapters.count },
                { $0.chapters.append(try Chapter(context: context)) }
            ),
            ("an inherited one", { _ = $0.setting }, { $0.setting = "new" }),
        ]
        for (name, read, change) in changes {
            let told = Flag()
            withObservationTracking {
                try? read(book)
            } onChange: {
                told.set()
            }
            book.weight += 1
            #expect(!told.isSet, "\(name): told of another property")
            try change(book)
            #expect(told.isSet, "\(name): not told")
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Swift's own evaluation of a predicate, a fetch with it, and a fetch with its text find the same objects.
@Suite struct `Predicates of Swift find what Swift finds` {
    /// A predicate and its equivalent text.
    private struct Sample {
        let predicate: Predicate<Book>
        let text: String
    }

    private static var samples: [Sample] {
        let (title, titles) = ("b", ["a", "b", ""])
        let (low, high): (Int16, Int16) = (1, 4)
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let genre = Genre.poems
        return [
            Sample(predicate: #Predicate { $0.title == title }, text: "title == 'b'"),
            Sample(predicate: #Predicate { $0.title != title }, text: "title != 'b'"),
            Sample(
                predicate: #Predicate { titles.contains($0.title) }, text: "title IN {'a', 'b', ''}"
            ),
            Sample(predicate: #Predicate { $0.title.contains("b") }, text: "title CONTAINS 'b'"),
            Sample(
                predicate: #Predicate { $0.title.starts(with: "a") }, text: "title BEGINSWITH 'a'"),
            Sample(predicate: #Predicate { $0.title < title }, text: "title < 'b'"),
            Sample(predicate: #Predicate { $0.copies == nil }, text: "copies == nil"),
            Sample(predicate: #Predicate { $0.copies != 3 }, text: "copies != 3"),
            Sample(
                predicate: #Predicate { ($0.copies ?? 3) >= 3 },
                text: "copies >= 3 OR copies == nil"),
            Sample(predicate: #Predicate { $0.genre == genre }, text: "genre == 'poems'"),
            Sample(predicate: #Predicate { $0.genre != nil }, text: "genre != nil"),
            Sample(predicate: #Predicate { $0.isLent }, text: "isLent == TRUE"),
            Sample(
                predicate: #Predicate { !$0.isLent || $0.pages > 3 },
                text: "isLent == FALSE OR pages > 3"),
            Sample(
                predicate: #Predicate { (2..<5).contains($0.pages) },
                text: "pages >= 2 AND pages < 5"),
            Sample(predicate: #Predicate { $0.pages * 2 - 1 == 5 }, text: "pages * 2 - 1 == 5"),
            Sample(predicate: #Predicate { -$0.pages < -3 }, text: "pages > 3"),
            Sample(predicate: #Predicate { $0.weight / 2 > 0.5 }, text: "weight / 2 > 0.5"),
            Sample(predicate: #Predicate { $0.pages / 4 == 1 }, text: "pages / 4 == 1"),
            Sample(
                predicate: #Predicate { $0.pages % 4 == 1 }, text: "modulus:by:(pages, 4) == 1"),
            Sample(
                predicate: #Predicate { (1 - $0.pages) % 4 == -1 },
                text: "modulus:by:(1 - pages, 4) == -1"),
            Sample(
                predicate: #Predicate { (1 - $0.pages) / 2 == -1 }, text: "(1 - pages) / 2 == -1"),
            Sample(
                predicate: #Predicate { $0.pages != 0 && 12 / $0.pages == 3 },
                text: "pages != 0 AND 12 / pages == 3"),
            Sample(
                predicate: #Predicate { ($0.copies ?? 1) % 3 == 1 },
                text: "modulus:by:(TERNARY(copies == nil, 1, copies), 3) == 1"),
            Sample(predicate: #Predicate { $0.title.count == 2 }, text: "title.length == 2"),
            Sample(
                predicate: #Predicate { $0.author?.name.count == 1 },
                text: "length(author.name) == 1"),
            Sample(predicate: #Predicate { $0.author == nil }, text: "author == nil"),
            Sample(predicate: #Predicate { $0.author?.name == title }, text: "author.name == 'b'"),
            Sample(
                predicate: #Predicate { $0.author?.mentor?.name != title },
                text: "author.mentor.name != 'b'"),
            Sample(
                predicate: #Predicate { $0.author?.born == date },
                text: "author.born == CAST(5, 'NSDate')"),
            Sample(
                predicate: #Predicate {
                    ($0.author?.rank ?? 0) >= low && ($0.author?.rank ?? 0) < high
                },
                text: "author != nil AND author.rank >= 1 AND author.rank < 4"),
            Sample(predicate: #Predicate { $0.chapters.isEmpty }, text: "chapters.@count == 0"),
            Sample(predicate: #Predicate { $0.chapters.count > 1 }, text: "chapters.@count > 1"),
            Sample(
                predicate: #Predicate { $0.chapters.contains { $0.title == title } },
                text: "ANY chapters.title == 'b'"),
            Sample(
                predicate: #Predicate { $0.chapters.allSatisfy { $0.title == title } },
                text: "ALL chapters.title == 'b'"),
            Sample(
                predicate: #Predicate { $0.chapters.filter { $0.title != nil }.count == 2 },
                text: "SUBQUERY(chapters, $c, $c.title != nil).@count == 2"),
            Sample(
                predicate: #Predicate { $0.author?.books.isEmpty == false },
                text: "author.books.@count > 0"),
            Sample(
                predicate: #Predicate { book in
                    book.author?.books.contains { $0.pages > book.pages } == true
                },
                text: "SUBQUERY(author.books, $b, $b.pages > pages).@count > 0"),
            Sample(
                predicate: #Predicate { $0.isLent ? $0.pages > 3 : $0.pages < 3 },
                text: "(isLent == TRUE AND pages > 3) OR (isLent == FALSE AND pages < 3)"),
        ]
    }

    @Test(arguments: everyEngine)
    func `on every engine, with random data`(_ engine: StoreType) throws {
        let folder = try TemporaryFolder()
        let handle = try Self.handle(engine, in: folder)
        let seed = SeededRandom.seed(of: "predicates of Swift")
        try handle.performAndWait { context in
            try Self.fill(context, SeededRandom(seed: seed))
            try context.save()
            let books = Array(try context.fetch(Book.self))
            for (number, sample) in Self.samples.enumerated() {
                let expected = Set(try books.filter { try sample.predicate.evaluate($0) })
                let found = Set(try context.fetch(Book.self, where: sample.predicate))
                let request = try FetchRequest<Book>("Book", where: sample.text)
                let byText: [Book] = try context.fetch(request)
                #expect(found == expected, "\(number): \(sample.text), seed \(seed)")
                #expect(Set(byText) == expected, "text \(number): \(sample.text), seed \(seed)")
                #expect(try context.count(Book.self, where: sample.predicate) == expected.count)
            }
        }
    }

    private static func handle(
        _ engine: StoreType, in folder: TemporaryFolder
    ) throws -> ContextHandle {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Library.entities))
        try coordinator.addPersistentStore(
            ofType: engine, at: folder.url(of: engine, "library.store"))
        return ContextHandle(
            coordinator: coordinator,
            classes: ObjectClasses([Author.self, Book.self, Novel.self, Chapter.self]))
    }

    /// Swift's own evaluation throws for these.
    @Test(arguments: everyEngine)
    func `of extreme numbers, of nil and of zero divisors find the same on every engine`(
        _ engine: StoreType
    ) throws {
        let folder = try TemporaryFolder()
        let numbers: [Int?] = [nil, .min, .min + 1, -7, -1, 0, 1, 7, .max]
        try Self.handle(engine, in: folder).performAndWait { context in
            for number in numbers {
                try Book(context: context).setValue(number.map { Int64($0) }, forKey: "pages")
            }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                func count(_ predicate: Predicate<Book>) throws -> Int {
                    try context.count(Book.self, where: predicate)
                }
                for divisor in [Int.min, -2, -1, 0, 1, 2, .max] {
                    let divided = numbers.compactMap(\.self).filter { number in
                        divisor != 0 && !number.dividedReportingOverflow(by: divisor).overflow
                    }
                    for result in Set(divided.map { $0 / divisor } + [0]) {
                        let found = try count(#Predicate { $0.pages / divisor == result })
                        #expect(found == divided.count { $0 / divisor == result }, "\(divisor)")
                    }
                    for result in [-7, -1, 0, 1, 7] {
                        let found = try count(#Predicate { $0.pages % divisor == result })
                        // The remainder of the least number divided by -1 is 0, although the quotient overflows.
                        let wanted = numbers.compactMap(\.self).count { number in
                            divisor != 0 && (divisor == -1 ? 0 : number % divisor) == result
                        }
                        #expect(found == wanted, "\(divisor), \(result)")
                    }
                }
                #expect(try count(#Predicate { $0.pages / -1 > 0 }) == 4)
                #expect(try count(#Predicate { 7 / $0.pages == 7 }) == 1)
                #expect(try count(#Predicate { 7 % $0.pages == 0 }) == 4)
                #expect(try count(#Predicate { 7 / $0.pages != 7 }) == numbers.count - 1)
            }
        }
    }

    @Test(arguments: everyEngine)
    func `count the UTF-16 code units of a text, as Core Data does`(_ engine: StoreType) throws {
        let folder = try TemporaryFolder()
        try Self.handle(engine, in: folder).performAndWait { context in
            for title in ["", "é", "e\u{301}", "👍🏽", "ab"] {
                try Book(context: context).title = title
            }
            try context.save()

            let counts = try [0, 1, 2, 3, 4].map { number in
                try context.count(Book.self, where: #Predicate { $0.title.count == number })
            }

            #expect(counts == [1, 1, 2, 0, 1])
        }
    }

    @Test(arguments: everyEngine)
    func `are not needed to add up attributes that may be nil`(_ engine: StoreType) throws {
        let folder = try TemporaryFolder()
        try Self.handle(engine, in: folder).performAndWait { context in
            let author = try Author(context: context)
            author.rank = 3
            for (copies, rating, price) in [(3, 0.5, 1.5), (nil, nil, nil), (4, 1.25, 2)]
                as [(Int32?, Float?, Decimal?)]
            {
                let book = try Book(context: context)
                (book.copies, book.rating, book.price) = (copies, rating, price)
                book.genre = copies == 4 ? .travel : nil
                if copies == 3 { book.author = author }
            }
            try context.save()

            #expect(try context.sum(of: \Book.copies) == 7)
            #expect(try context.sum(of: \Book.rating) == 1.75)
            let groups = try context.groups(
                of: Book.self, by: \.genre, .count, .sum(\.copies), .maximum(\.rating))
            #expect(groups.map(\.0) == [nil, .travel])
            #expect(groups.map(\.1) == [2, 1])
            #expect(groups.map(\.2) == [3, 4])
            #expect(groups.map(\.3) == [0.5, 1.25])
            #expect(try context.sum(of: \Book.price) == 3.5)
            #expect(try context.sum(of: \Book.author?.rank) == 3)
            #expect(try context.average(of: \Book.copies) == 3.5)
            #expect(try context.average(of: \Book.price) == 1.75)
            #expect(try context.minimum(of: \Book.copies) == 3)
            #expect(try context.maximum(of: \Book.rating) == 1.25)
            #expect(try context.maximum(of: \Book.genre) == .travel)
            let none = #Predicate<Book> { $0.copies == nil }
            #expect(try context.sum(of: \Book.copies, where: none) == 0)
            #expect(try context.sum(of: \Book.weight, where: none) == 0)
            #expect(try context.sum(of: \Book.rating, where: none) == 0)
            #expect(try context.sum(of: \Book.price, where: none) == 0)
            #expect(try context.average(of: \Book.copies, where: none) == nil)
            #expect(try context.maximum(of: \Book.copies, where: none) == nil)
            try Book(context: context).copies = .max
            try context.save()
            #expect(throws: GraphError.self) { try context.sum(of: \Book.copies) }
        }
    }

    private static func fill(_ context: ManagedObjectContext, _ random: SeededRandom) throws {
        var random = random
        let texts = ["", "a", "b", "ab", "ba"]
        let authors = try (0..<12).map { _ in try Author(context: context) }
        for author in authors {
            author.name = texts.randomElement(using: &random) ?? ""
            author.rank = .random(in: 0...5, using: &random)
            if Bool.random(using: &random) {
                author.born = Date(
                    timeIntervalSinceReferenceDate: .random(in: 4...6, using: &random).rounded())
            }
            if Bool.random(using: &random) { author.mentor = authors.randomElement(using: &random) }
        }
        for _ in 0..<150 {
            let book =
                Bool.random(using: &random)
                ? try Book(context: context) : try Novel(context: context)
            book.title = texts.randomElement(using: &random) ?? ""
            book.pages = .random(in: 0...6, using: &random)
            book.weight = .random(in: 0...3, using: &random)
            book.isLent = .random(using: &random)
            book.copies = Bool.random(using: &random) ? .random(in: 2...4, using: &random) : nil
            book.genre =
                Bool.random(using: &random) ? Genre.allCases.randomElement(using: &random) : nil
            if Bool.random(using: &random) { book.author = authors.randomElement(using: &random) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let chapter = try Chapter(context: context)
                chapter.title =
                    Bool.random(using: &random) ? texts.randomElement(using: &random) : nil
                book.chapters.append(chapter)
            }
        }
    }
}

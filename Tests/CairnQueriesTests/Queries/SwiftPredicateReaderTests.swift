import CairnModel
import Foundation
import GraphSupport
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `A predicate of Swift` {
    private let context: ManagedObjectContext

    init() throws {
        let stack = try MusicStack(Library.entities)
        context = try stack.context(
            classes: ObjectClasses([Author.self, Book.self, Novel.self, Chapter.self]))
    }

    private func text(_ predicate: Predicate<Author>) throws -> String {
        let request = try context.request(for: Author.self, where: predicate)
        return request.predicate?.description ?? ""
    }

    private func text(_ predicate: Predicate<Book>) throws -> String {
        let request = try context.request(for: Book.self, where: predicate)
        return request.predicate?.description ?? ""
    }

    private func expect(
        _ text: String, is format: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let expected = try FetchPredicate(format: format).description
        #expect(text == expected, sourceLocation: location)
    }

    @Test func `is read as its textual form would be`() throws {
        let (name, names) = ("Eliot", ["a", "b"])
        let range: ClosedRange<Int16> = 1...5
        let genre = Genre.poems
        try expect(text(#Predicate<Author> { $0.name == name }), is: "name == 'Eliot'")
        try expect(text(#Predicate<Author> { $0.born == nil }), is: "born == nil")
        try expect(
            text(#Predicate<Author> { !($0.rank > 3) || $0.rank <= 1 }),
            is: "NOT (rank > 3) OR rank <= 1")
        try expect(
            text(#Predicate<Author> { names.contains($0.name) && range.contains($0.rank) }),
            is: "name IN {'a', 'b'} AND (rank >= 1 AND rank <= 5)")
        try expect(
            text(#Predicate<Author> { $0.books.contains { $0.pages > 300 } }),
            is: "SUBQUERY(books, $m1, $m1.pages > 300).@count > 0")
        try expect(
            text(#Predicate<Author> { $0.books.allSatisfy { $0.title.contains("x") } }),
            is: "SUBQUERY(books, $m1, NOT ($m1.title CONTAINS 'x')).@count == 0")
        try expect(
            text(#Predicate<Author> { $0.books.filter { $0.isLent }.count > 2 }),
            is: "SUBQUERY(books, $m1, $m1.isLent == TRUE).@count > 2")
        try expect(
            text(#Predicate<Author> { $0.books.isEmpty && $0.pupils.count == 2 }),
            is: "books.@count == 0 AND pupils.@count == 2")
        try expect(
            text(#Predicate<Author> { $0.mentor?.mentor?.name == "x" }),
            is: "mentor.mentor.name == 'x'")
        try expect(
            text(#Predicate<Book> { $0.genre == genre && $0.title.starts(with: "M") }),
            is: "genre == 'poems' AND title BEGINSWITH 'M'")
        try expect(
            text(#Predicate<Book> { ($0.copies ?? 7) + 1 == 8 && $0.title.isEmpty }),
            is: "add:to:(TERNARY(copies == nil, 7, copies), 1) == 8 AND title == ''")
        try expect(text(#Predicate<Author> { $0.rank / 2 == 1 }), is: "rank / 2 == 1")
        try expect(
            text(#Predicate<Author> { $0.rank % 2 == 1 }), is: "modulus:by:(rank, 2) == 1")
        try expect(text(#Predicate<Book> { $0.title.count > 3 }), is: "length(title) > 3")
        try expect(
            text(#Predicate<Book> { $0.author?.name.count == 2 }), is: "length(author.name) == 2")
        try expect(
            text(#Predicate<Book> { $0.author?.books.isEmpty == false }),
            is: "author != nil AND NOT (author.books.@count == 0)")
        try expect(
            text(#Predicate<Book> { $0.chapters.contains { $0.title == "x" } }),
            is: "SUBQUERY(chapters, $m1, $m1.title == 'x').@count > 0")
    }

    @Test func `names inherited properties, of the class and along a path`() throws {
        let request = try context.request(
            for: Novel.self, where: #Predicate { $0.pages > 3 && $0.setting == "x" },
            sortedBy: [SortDescriptor(\.title), SortDescriptor(\.author?.mentor?.name)])

        try expect(request.predicate?.description ?? "", is: "pages > 3 AND setting == 'x'")
        #expect(request.sortDescriptors.map(\.keyPath) == ["title", "author.mentor.name"])
    }

    @Test func `is refused with the part that has no meaning in a fetch`() throws {
        let refused = [
            (#Predicate<Author> { $0.shout == "ELIOT" }, "Author.… (a property of type String"),
            (#Predicate<Author> { $0.name.utf16.count > 3 }, "String"),
            (
                #Predicate<Author> { $0.books.filter { $0.isLent }.isEmpty && $0.shout.isEmpty },
                "Author.… (a property of type String"
            ),
        ]
        for (predicate, part) in refused {
            let error = #expect(throws: GraphError.self) { _ = try text(predicate) }
            guard case .predicate(.unsupported(let expression, _)) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(expression.contains(part))
        }
    }

    @Test func `sorts by properties, also along a to-one`() throws {
        let request = try context.request(
            for: Book.self,
            sortedBy: [
                SortDescriptor(\.title),
                SortDescriptor(\.title, comparator: .lexical, order: .reverse),
                SortDescriptor(\.pages), SortDescriptor(\.author?.name),
                SortDescriptor(\.author?.mentor?.name),
            ])

        #expect(
            request.sortDescriptors == [
                FetchSortDescriptor("title"),
                FetchSortDescriptor("title", ascending: false), FetchSortDescriptor("pages"),
                FetchSortDescriptor("author.name"), FetchSortDescriptor("author.mentor.name"),
            ])
    }

    @Test func `does not sort by a computed property`() throws {
        #expect(throws: GraphError.self) {
            _ = try context.request(for: Author.self, sortedBy: [SortDescriptor(\.shout)])
        }
    }

    @Test func `fetches, counts and finds the first`() throws {
        for number in 0..<10 {
            let author = try Author(context: context)
            author.name = "n\(number)"
            author.rank = Int16(number)
        }
        try context.save()

        let found = try context.fetch(
            Author.self, where: #Predicate { $0.rank >= 3 },
            sortedBy: [SortDescriptor(\.rank, order: .reverse)], limit: 2, offset: 1)
        #expect(found.map(\.rank) == [8, 7])
        #expect(try context.count(Author.self, where: #Predicate { $0.rank >= 3 }) == 7)
        #expect(try context.count(Author.self) == 10)
        #expect(try context.first(Author.self, sortedBy: [SortDescriptor(\.rank)])?.name == "n0")
        #expect(try context.fetchIDs(Author.self, limit: 0).isEmpty)
        #expect(
            try context.fetch(Author.self, batchSize: 3, prefetching: [\.books, \.mentor]).count
                == 10)
    }

    @Test func `groups, adds up and finds extremes`() throws {
        let authors = try ["b", "a"].map { name in
            let author = try Author(context: context)
            author.name = name
            return author
        }
        for number in 1...6 {
            let book = try Book(context: context)
            book.pages = number
            book.weight = Double(number)
            book.author = number == 6 ? nil : authors[number % 2]
        }
        try context.save()

        let sections = try context.sections(
            of: Book.self, by: \.author?.name, sortedBy: [SortDescriptor(\.pages, order: .reverse)])

        #expect(sections.map(\.key) == [nil, "a", "b"])
        #expect(sections.map { $0.objects.map(\.pages) } == [[6], [5, 3, 1], [4, 2]])
        #expect(try context.sum(of: \Book.pages) == 21)
        #expect(try context.sum(of: \Book.pages, where: #Predicate { $0.author != nil }) == 15)
        #expect(try context.sum(of: \Book.pages, where: #Predicate { $0.pages > 9 }) == 0)
        #expect(try context.average(of: \Book.weight) == 3.5)
        #expect(try context.maximum(of: \Book.pages) == 6)
        #expect(try context.minimum(of: \Author.name) == "a")
        #expect(try context.minimum(of: \Book.weight, where: #Predicate { $0.pages > 9 }) == nil)
        let groups = try context.groups(
            of: Book.self, by: \.author?.name, where: #Predicate { $0.pages > 1 }, .count,
            .sum(\.pages), .average(\.weight), .maximum(\.pages))
        #expect(groups.map(\.0) == [nil, "a", "b"])
        #expect(groups.map(\.1) == [1, 2, 2])
        #expect(groups.map(\.2) == [6, 8, 6])
        #expect(groups.map(\.3) == [6, 4, 3])
        #expect(groups.map(\.4) == [6, 5, 4])
    }

    @Test func `puts values that the class reads as equal into one section`() throws {
        // Nil is sorted before negative numbers, and read as 0.
        for (number, pages) in [nil, -1, 0, 5, nil, 0].enumerated() {
            let book = try Book(context: context)
            book.title = "\(number)"
            if let pages { book.pages = pages }
        }
        try context.save()

        let sections = try context.sections(
            of: Book.self, by: \.pages, sortedBy: [SortDescriptor(\.title, order: .reverse)])

        #expect(sections.map(\.key) == [-1, 0, 5])
        #expect(sections.map { $0.objects.map(\.title) } == [["1"], ["5", "4", "2", "0"], ["3"]])
    }
}

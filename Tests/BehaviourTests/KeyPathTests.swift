import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Key paths and keys` {
    private func inShelf(
        _ type: StoreType, _ body: @Sendable (ManagedObject) throws -> Void
    ) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author", ["name": "A", "born": 1])
            for (title, pages, price) in [("a", 10, 1.5), ("b", 20, 2.5), ("c", 60, 2.5)] {
                _ = try context.insert(
                    "Book", ["title": title, "pages": pages, "price": price, "author": author])
            }
            try context.save()
            try body(author)
        }
    }

    @Test(arguments: chosenEngines)
    func `lead over a to-one`(_ type: StoreType) throws {
        try inShelf(type) { author throws in
            let book = try #require(try author.objects("books").first { _ in true })

            #expect(try book.value(forKeyPath: "author.name") as? String == "A")
            #expect(try book.value(forKeyPath: "author.mentor.name") == nil)
        }
    }

    @Test(arguments: chosenEngines)
    func `collect the values of a to-many`(_ type: StoreType) throws {
        try inShelf(type) { author throws in
            let titles = try #require(try author.value(forKeyPath: "books.title") as? [Any])

            #expect(Set(titles.compactMap { $0 as? String }) == ["a", "b", "c"])
        }
    }

    @Test(
        arguments: chosenEngines,
        [
            ("books.@count", 3), ("books.@sum.pages", 90), ("books.@min.pages", 10),
            ("books.@max.pages", 60),
        ] as [(String, Int64)])
    func `summarise integers`(_ type: StoreType, _ path: (String, Int64)) throws {
        try inShelf(type) { author throws in
            #expect(try author.value(forKeyPath: path.0) as? Int64 == path.1)
        }
    }

    @Test(arguments: chosenEngines)
    func `combine operators, and give one array over several relationships`(
        _ type: StoreType
    ) throws {
        try inShelf(type) { author throws in
            let mentor = try #require(author.managedObjectContext).insert("Author")
            try author.setValue(mentor, forKey: "mentor")

            let most = try mentor.value(forKeyPath: "pupils.@max.books.@count")
            let pages = try mentor.value(forKeyPath: "pupils.books.pages") as? [Int64]
            let predicate = Result {
                try FetchPredicate(format: "pupils.@max.books.@count > 1").evaluate(with: mentor)
            }

            #expect(most as? Int64 == 3)
            #expect(pages?.sorted() == [10, 20, 60])
            #expect(throws: (any Error).self) { try predicate.get() }
        }
    }

    @Test(arguments: chosenEngines)
    func `give an average and distinct values`(_ type: StoreType) throws {
        try inShelf(type) { author throws in
            let average = try author.value(forKeyPath: "books.@avg.pages")
            let prices = try author.value(forKeyPath: "books.@distinctUnionOfObjects.price")

            #expect((average as? Double) == 30 || (average as? Decimal) == 30)
            #expect(Set((prices as? [Any])?.compactMap { $0 as? Double } ?? []) == [1.5, 2.5])
        }
    }

    @Test(arguments: chosenEngines)
    func `set the value that they lead to`(_ type: StoreType) throws {
        try inShelf(type) { author throws in
            let book = try #require(try author.objects("books").first { _ in true })
            try book.setValue("B", forKeyPath: "author.name")

            #expect(try author["name"] == "B")
        }
    }

    @Test(arguments: chosenEngines)
    func `that are unknown are refused with the nearest name`(_ type: StoreType) throws {
        try inShelf(type) { author throws in
            let error = #expect(throws: GraphError.self) { try author.value(forKey: "nmae") }

            #expect(error?.description.contains("name") == true)
            #expect(throws: GraphError.self) { try author.setValue(1, forKey: "nope") }
            #expect(throws: GraphError.self) { try author.value(forKeyPath: "books.nope") }
        }
    }

    @Test(arguments: chosenEngines)
    func `give a value as the attribute's type`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let date = Date(timeIntervalSinceReferenceDate: 1)
            let values: [String: Any] = [
                "int16": 1, "flag": true, "double": 0.5, "float": Float(0.5), "text": "t",
                "date": date, "data": Data([1]), "decimal": Decimal(7),
            ]
            let sample = try context.insert("Sample", values)
            try context.save()
            try context.refresh(sample, mergeChanges: false)

            #expect(try sample.value(forKey: "int16") as? Int64 == 1)
            #expect(try sample.value(forKey: "flag") as? Bool == true)
            #expect(try sample.value(forKey: "double") as? Double == 0.5)
            #expect(try sample.value(forKey: "float") as? Float == 0.5)
            #expect(try sample.value(forKey: "text") as? String == "t")
            #expect(try sample.value(forKey: "date") as? Date == date)
            #expect(try sample.value(forKey: "data") as? Data == Data([1]))
            #expect(try sample.value(forKey: "decimal") as? Decimal == 7)
            #expect(try sample.value(forKey: "uuid") == nil)
        }
    }
}

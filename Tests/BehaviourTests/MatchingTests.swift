import Cairn
import Foundation
import GraphSupport
import Observation
import Testing

@Suite struct `A predicate in memory` {
    private static let formats = [
        "pages BETWEEN {20, 40}", "title IN {'a', 'e', 'x'}", "title BEGINSWITH 'a' OR pages >= 50",
        "NOT (pages < 40)", "title LIKE '?'", "title MATCHES '[b-d]'", "title CONTAINS[c] 'B'",
        "author == nil", "pages == nil", "TRUEPREDICATE", "FALSEPREDICATE", "pages + 10 == 30",
        "tags.@count == 0", "ANY tags.name == 'red'", "NONE tags.name == 'red'",
        "ALL tags.name == 'red'", "author.name == 'Ann'", "author.mentor.name BEGINSWITH 'A'",
        "author.books.@count > 1", "author.books.@max.pages == 20", "ANY author.books.pages > 15",
        "SUBQUERY(tags, $t, $t.name == 'red').@count == 1", "author.pupils.@count == 1",
        "NOT (author.born < 1925)", "TERNARY(pages > 20, 1, 2) == 1", "title =[cd] 'É'",
        "author != nil AND (author.alias == 'aa' OR author.born > 1940)",
    ]

    @Test(arguments: chosenEngines, formats)
    func `means the same as in a fetch`(_ type: StoreType, _ format: String) throws {
        try inShelf(type) { context throws in
            let predicate = try FetchPredicate(format: format)
            let fetched = try Shelf.fetched(context, predicate)
            let books = try Shelf.books(context)

            #expect(try Shelf.titles(try books.filtered(using: predicate)) == fetched)
            context.reset()
            let faults = try context.fetchIDs(FetchRequest<ManagedObject>("Book"))
                .map { try context.object(with: $0) }
            #expect(try faults.filtered(using: predicate).count == fetched.count)
            let single = try Shelf.books(context).filter { try predicate.evaluate(with: $0) }
            #expect(try Shelf.titles(single) == fetched)
        }
    }

    @Test(arguments: chosenEngines)
    func `sees unsaved values of the object and of related ones`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let books = try Shelf.books(context)
            try books[3].setValue("Z", forKey: "title")
            try context.only("Author", where: "name == 'Bob'").setValue("Zoe", forKey: "name")
            let added = try context.insert("Book", ["title": "Zz"])
            let predicate = try FetchPredicate(
                format: "title BEGINSWITH 'Z' OR author.name == 'Zoe'")

            let found = try (books + [added]).filtered(using: predicate)
            #expect(found == [books[2], books[3], added])
        }
    }

    @Test(arguments: chosenEngines)
    func `filters a collection without changing its kind or order`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let books = try Shelf.books(context)
            let ann = try context.only("Author", where: "name == 'Ann'")
            for title in ["x", "y", "xx"] {
                let chapter = try context.insert("Chapter", ["title": title])
                try books[0].orderedObjects("chapters").append(chapter)
            }
            let few = try FetchPredicate(format: "pages <= 20")
            let x = try FetchPredicate(format: "title BEGINSWITH 'x'")
            let array: [ManagedObject] = try Array(books.reversed()).filtered(using: few)
            let set = try Set(books).filtered(using: few)
            let members: Set<ManagedObject> = try ann.objects("books").filtered(using: few)
            let ordered = try books[0].orderedObjects("chapters").filtered(using: x)
            let request = FetchRequest<ManagedObject>("Book")
            let results: FetchResults<ManagedObject> = try context.fetch(request)

            #expect(array == [books[1], books[0]])
            #expect(set == [books[0], books[1]])
            #expect(members == [books[0], books[1]])
            #expect(try Shelf.titles(ordered) == "xxx")
            #expect(Set(try results.filtered(using: few)) == set)
            #expect(try [ManagedObject]().filtered(using: few) == [])
        }
    }

    @Test(arguments: chosenEngines)
    func `compares transient values, which a fetch cannot`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let ann = try context.only("Author", where: "name == 'Ann'")
            try ann.setValue("merry", forKey: "mood")
            let predicate = try FetchPredicate(format: "mood == 'merry'")
            let ofBooks = try FetchPredicate(format: "author.mood == 'merry'")

            #expect(try predicate.evaluate(with: ann))
            #expect(try Shelf.titles(Shelf.books(context).filtered(using: ofBooks)) == "ab")
            #expect(throws: GraphError.self) { try Shelf.fetched(context, ofBooks) }
        }
    }

    @Test(arguments: chosenEngines)
    func `may name a property of only some entities, for objects that have it`(
        _ type: StoreType
    ) throws {
        try inShelf(type) { context throws in
            let novel = try context.only("Novel")
            try novel.setValue("Eve", forKey: "hero")
            let books = try Shelf.books(context)
            let hero = try FetchPredicate(format: "hero == 'Eve'")
            let named = try FetchPredicate(format: "name == 'red'")

            #expect(try [novel].filtered(using: hero) == [novel])
            #expect(throws: GraphError.self) { try books.filtered(using: hero) }
            let mixed = [try context.only("Tag"), try context.only("Author", where: "born < 1925")]
            #expect(try mixed.filtered(using: named) == [mixed[0]])
        }
    }

    @Test(arguments: chosenEngines)
    func `takes values for its variables`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let ann = try context.only("Author", where: "name == 'Ann'")
            let book = try Shelf.books(context)[0]
            let byAuthor = try FetchPredicate(format: "author == $WHO AND title IN $TITLES")
            let byName = try FetchPredicate(format: "author.name == $WHO.name")
            let values: [String: Any] = ["WHO": ann, "TITLES": ["a", "b"]]

            #expect(try byAuthor.evaluate(with: book, substitutionVariables: values))
            #expect(try byName.evaluate(with: book, substitutionVariables: ["WHO": ann]))
            let error = #expect(throws: GraphError.self) { try byAuthor.evaluate(with: book) }
            guard case .predicate(.unsetVariable("WHO")) = error else {
                Issue.record("\(error as Any)")
                return
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `refuses an object that is gone, and one of another thread`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let books = try Shelf.books(context)
            let all = try FetchPredicate(format: "pages > 0")
            try context.delete(books[0])
            #expect(try all.evaluate(with: books[0]))
            try context.save()

            let error = #expect(throws: GraphError.self) { try books.filtered(using: all) }
            guard case .objectGone? = error else {
                Issue.record("\(error as Any)")
                return
            }
        }
        let stack = try Library.stack(type)
        let handle = ContextHandle(coordinator: stack.coordinator)
        nonisolated(unsafe) var escaped: ManagedObject?
        try handle.performAndWait { escaped = try $0.insert("Tag") }
        let object = try #require(escaped)
        let error = #expect(throws: GraphError.self) {
            try FetchPredicate(format: "TRUEPREDICATE").evaluate(with: object)
        }
        guard case .wrongThread? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test(arguments: chosenEngines)
    func `is observed like reading the values`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let books = try Shelf.books(context)
            context.observesObjects = true
            let ann = try context.only("Author", where: "name == 'Ann'")
            let few = try FetchPredicate(format: "pages < 30 AND author.name == 'Ann'")
            nonisolated(unsafe) var changes = 0
            let observe = {
                withObservationTracking {
                    _ = try? books.filtered(using: few)
                } onChange: {
                    changes += 1
                }
            }
            observe()
            try books[0].setValue(99, forKey: "pages")
            #expect(changes == 1)
            observe()
            try ann.setValue("An", forKey: "name")
            #expect(changes == 2)
        }
    }
}

import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A fetch` {
    /// Calls the body with saved books “a” to “e”, which have 10 to 50 pages. “e” is a novel.
    private func inShelf(
        _ type: StoreType, _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try inLibrary(type) { context throws in
            for (index, title) in ["a", "b", "c", "d"].enumerated() {
                _ = try context.insert("Book", ["title": title, "pages": 10 * (index + 1)])
            }
            _ = try context.insert("Novel", ["title": "e", "pages": 50, "hero": "E"])
            try context.save()
            try body(context)
        }
    }

    private static func titles(
        _ context: ManagedObjectContext, _ entity: String = "Book",
        _ change: (inout FetchRequest<ManagedObject>) throws -> Void = { _ in }
    ) throws -> String {
        var request = FetchRequest<ManagedObject>(entity)
        request.sortDescriptors = [FetchSortDescriptor("title")]
        try change(&request)
        return try context.fetch(request).map { try $0.value(forKey: "title") as? String ?? "" }
            .joined()
    }

    @Test(arguments: chosenEngines)
    func `finds objects of subentities, unless told otherwise`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            #expect(try Self.titles(context) == "abcde")
            #expect(try Self.titles(context) { $0.includesSubentities = false } == "abcd")
            #expect(try Self.titles(context, "Novel") == "e")
        }
    }

    @Test(arguments: chosenEngines)
    func `sorts by several keys, in both directions`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            _ = try context.insert("Book", ["title": "f", "pages": 10])
            let found = try Self.titles(context) {
                $0.sortDescriptors = [
                    FetchSortDescriptor("pages", ascending: false), FetchSortDescriptor("title"),
                ]
            }

            #expect(found == "edcbaf")
        }
    }

    @Test(arguments: chosenEngines)
    func `sorts nil first`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            _ = try context.insert("Book", ["title": "z"])
            let found = try Self.titles(context) {
                $0.sortDescriptors = [FetchSortDescriptor("pages")]
            }

            #expect(found == "zabcde")
        }
    }

    @Test(arguments: chosenEngines)
    func `returns a page by offset and limit`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let found = try Self.titles(context) { ($0.fetchOffset, $0.fetchLimit) = (1, 2) }
            let beyond = try Self.titles(context) { $0.fetchOffset = 9 }

            #expect(found == "bc")
            #expect(beyond == "")
        }
    }

    @Test(arguments: chosenEngines)
    func `takes unsaved changes into account in a page`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            _ = try context.insert("Book", ["title": "A"])
            try context.delete(try context.only("Book", where: "title == 'a'"))
            try context.only("Book", where: "title == 'b'").setValue("x", forKey: "title")
            let found = try Self.titles(context) { $0.fetchLimit = 3 }

            #expect(found == "Acd")
            #expect(try Self.titles(context) == "Acdex")
        }
    }

    @Test(arguments: chosenEngines)
    func `matches unsaved values, and not the stored ones`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            try context.only("Book", where: "title == 'a'").setValue(99, forKey: "pages")

            let large = try FetchPredicate(format: "pages > 60")
            let small = try FetchPredicate(format: "pages == 10")
            #expect(try Self.titles(context) { $0.predicate = large } == "a")
            #expect(try Self.titles(context) { $0.predicate = small } == "")
        }
    }

    @Test(arguments: chosenEngines)
    func `leaves unsaved changes out if it is told to`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            _ = try context.insert("Book", ["title": "new"])
            try context.delete(try context.only("Book", where: "title == 'a'"))

            #expect(try Self.titles(context) { $0.includesPendingChanges = false } == "abcde")
        }
    }

    @Test(
        arguments: chosenEngines,
        [
            ("pages BETWEEN {20, 40}", "bcd"), ("title IN {'a', 'e', 'x'}", "ae"),
            ("title BEGINSWITH 'a' OR pages >= 50", "ae"), ("NOT (pages < 40)", "de"),
            ("title LIKE '?'", "abcde"), ("title MATCHES '[b-d]'", "bcd"),
            ("title CONTAINS[c] 'B'", "b"), ("author == nil", "abcde"), ("pages == nil", ""),
            ("TRUEPREDICATE", "abcde"), ("FALSEPREDICATE", ""), ("pages + 10 == 30", "b"),
            ("tags.@count == 0", "abcde"), ("ANY tags.name == 'x'", ""),
            ("SUBQUERY(chapters, $c, $c.title == 'x').@count == 0", "abcde"),
        ] as [(String, String)])
    func `matches a predicate`(_ type: StoreType, _ pair: (String, String)) throws {
        try inShelf(type) { context throws in
            let predicate = try FetchPredicate(format: pair.0)

            #expect(try Self.titles(context) { $0.predicate = predicate } == pair.1)
        }
    }

    @Test(arguments: chosenEngines)
    func `counts what it would return`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            _ = try context.insert("Book", ["title": "new"])
            var request = FetchRequest<ManagedObject>("Book")
            let all = try context.count(for: request)
            request.fetchLimit = 4

            #expect(all == 6)
            #expect(try context.count(for: request) == 4)
        }
    }

    @Test(arguments: chosenEngines)
    func `returns IDs without objects`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            context.reset()
            let ids = try context.fetchIDs(FetchRequest<ManagedObject>("Book"))

            #expect(ids.count == 5)
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test(arguments: chosenEngines)
    func `returns dictionaries of stored values`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            var request = FetchRequest<ManagedObject>("Novel")
            request.propertiesToFetch = [.keyPath("title"), .keyPath("pages")]

            #expect(
                try context.fetchDictionaries(request).map(\.dictionary)
                    == [["title": "e", "pages": 50]])
        }
    }

    @Test(arguments: chosenEngines)
    func `returns the same object each time`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let first = try context.fetch(FetchRequest<ManagedObject>("Book")) as [ManagedObject]
            let second = try context.fetch(FetchRequest<ManagedObject>("Book")) as [ManagedObject]

            #expect(Set(first) == Set(second))
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps the values that an object already has`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.fill { _ = try $0.insert("Tag", ["name": "old"]) }
        try stack.inContext { context throws in
            let tag = try context.only("Tag")
            try stack.fill { try $0.only("Tag").setValue("new", forKey: "name") }
            let again = try context.only("Tag")
            let kept = try again["name"]
            var request = FetchRequest<ManagedObject>("Tag")
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request) as [ManagedObject]

            #expect(again === tag)
            #expect(kept == "old")
            #expect(try tag["name"] == "new")
        }
    }

    @Test(arguments: chosenEngines)
    func `of entities or properties that the model does not have is refused`(_ type: StoreType)
        throws
    {
        try inShelf(type) { context throws in
            #expect(throws: GraphError.self) {
                try context.fetch(FetchRequest<ManagedObject>("Nothing")) as [ManagedObject]
            }
            #expect(throws: GraphError.self) {
                try Self.titles(context) { $0.predicate = try FetchPredicate(format: "nope == 1") }
            }
            #expect(throws: GraphError.self) {
                try Self.titles(context) { $0.sortDescriptors = [FetchSortDescriptor("nope")] }
            }
        }
    }
}

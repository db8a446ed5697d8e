import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Prefetched objects have their values even if they were not held in the meantime.
@Suite struct `Prefetched relationships` {
    private func library(_ type: StoreType) throws -> GraphStack {
        let stack = try GraphStack(type)
        try stack.inContext { context in
            let author = try context.insert("Author", ["name": "A"])
            for title in ["x", "y"] {
                let book = try context.insert("Book", ["title": title])
                try book.setValue(author, forKey: "author")
                for number in 0..<2 {
                    let chapter = try context.insert("Chapter", ["title": "\(title)\(number)"])
                    try chapter.setValue(book, forKey: "book")
                }
            }
            try context.save()
        }
        return stack
    }

    @Test(arguments: everyEngine)
    func `to one lead to objects with values`(_ type: StoreType) throws {
        try library(type).inContext { context in
            let books = try context.all("Book", prefetching: ["author"])

            let authors = try books.map { try $0.destination("author") }

            #expect(authors.map(\.isFault) == [false, false])
            #expect(
                try books.map { try $0.hasFault(forRelationshipNamed: "author") } == [false, false])
        }
    }

    @Test(arguments: everyEngine)
    func `are no faults even before they are followed`(_ type: StoreType) throws {
        try library(type).inContext { context in
            let books = try context.all("Book", prefetching: ["author", "chapters"])

            let faults = try books.flatMap { book in
                try ["author", "chapters"].map { try book.hasFault(forRelationshipNamed: $0) }
            }

            #expect(faults == [false, false, false, false])
        }
    }

    @Test(arguments: everyEngine)
    func `to many lead to objects with values`(_ type: StoreType) throws {
        try library(type).inContext { context in
            let books = try context.all("Book", prefetching: ["chapters", "genres"])

            let chapters = try books.flatMap { Array(try $0.orderedObjects("chapters")) }
            let first = try books[0].orderedObjects("chapters").member(at: 0)

            #expect(chapters.map(\.isFault) == [false, false, false, false])
            #expect(first?.isFault == false)
        }
    }

    @Test(arguments: everyEngine)
    func `have values along the whole path, but no further`(_ type: StoreType) throws {
        try library(type).inContext { context in
            let down = try context.all("Author", prefetching: ["books.chapters"])
            let books = Array(try down[0].objects("books"))
            let chapters = try books.flatMap { Array(try $0.orderedObjects("chapters")) }
            #expect((books + chapters).map(\.isFault) == Array(repeating: false, count: 6))
            #expect(
                try books.map { try $0.hasFault(forRelationshipNamed: "genres") } == [true, true])
        }
        try library(type).inContext { context in
            let up = try context.all("Chapter", prefetching: ["book.author"])
            let books = try up.map { try $0.destination("book") }
            let authors = try books.map { try $0.destination("author") }
            #expect((books + authors).map(\.isFault) == Array(repeating: false, count: 8))
        }
    }

    @Test(arguments: everyEngine)
    func `are those that were named`(_ type: StoreType) throws {
        try library(type).inContext { context in
            let chapters = try context.all("Chapter", prefetching: ["book"])
            let books = try chapters.map { try $0.destination("book") }
            let authors = try books.map { try $0.destination("author") }
            let unnamed = try context.all("Book", prefetching: ["chapters"])

            #expect(books.map(\.isFault) == [false, false, false, false])
            #expect(authors.map(\.isFault) == [true, true, true, true])
            #expect(try unnamed.map { try $0.destination("author").isFault } == [true, true])
        }
    }

    @Test(arguments: everyEngine)
    func `have values in a child context too`(_ type: StoreType) throws {
        let stack = try library(type)
        defer { withExtendedLifetime(stack) {} }
        let parent = ContextHandle(coordinator: stack.coordinator)
        try ContextHandle(parent: parent).performAndWait { context in
            let books = try context.all("Book", prefetching: ["author", "chapters"])

            let authors = try books.map { try $0.destination("author") }
            let chapters = try books.flatMap { Array(try $0.orderedObjects("chapters")) }

            #expect((authors + chapters).map(\.isFault) == Array(repeating: false, count: 6))
        }
    }

    @Test(arguments: everyEngine)
    func `keep nothing alive when the turn has ended, or the context was reset`(
        _ type: StoreType
    ) throws {
        let stack = try library(type)
        defer { withExtendedLifetime(stack) {} }
        let handle = ContextHandle(coordinator: stack.coordinator)
        let inTurn = try handle.performAndWait { context in
            _ = try context.all("Book", prefetching: ["author.books", "chapters"])
            return context.registeredObjects.count
        }
        let afterwards = try handle.performAndWait { $0.registeredObjects.count }
        let afterReset = try handle.performAndWait { context in
            _ = try context.all("Book", prefetching: ["author"])
            context.reset()
            return context.registeredObjects.count
        }

        let counts = [inTurn, afterwards, afterReset]
        #expect(counts == [7, 0, 0])
    }

    @MainActor @Test func `keep nothing alive when the main queue's turn has ended`() async throws {
        let stack = try library(.inMemory)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        _ = try context.all("Book", prefetching: ["author"])
        let inTurn = context.registeredObjects.count
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }

        let counts = [inTurn, context.registeredObjects.count]
        #expect(counts == [1, 0])
    }
}

extension ManagedObjectContext {
    /// Returns all objects of an entity as an array, which holds nothing else.
    fileprivate func all(_ entity: String, prefetching paths: [String]) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entity)
        request.relationshipKeyPathsForPrefetching = paths
        return try fetch(request)
    }
}

extension ManagedObject {
    fileprivate func destination(_ key: String) throws -> ManagedObject {
        try #require(try value(forKey: key) as? ManagedObject)
    }
}

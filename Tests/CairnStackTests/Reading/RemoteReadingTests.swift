import CairnModel
import CairnRows
import CairnStore
import Foundation
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

/// The number of messages that reads take, counted by a store that behaves like a remote service.
@Suite struct `Reading a remote store` {
    private let stack: LibraryStack
    private let store: RemoteStore
    private var line: Line { store.line }

    init() throws {
        stack = try LibraryStack(engines: [RemoteStore.self])
        store = try #require(
            try stack.coordinator.addPersistentStore(ofType: "Remote") as? RemoteStore)
    }

    private func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: stack.coordinator).performAndWait(body)
    }

    /// Saves books. Ten books share an author, two books share two notes, and each book has its own review.
    private func save(bookCount: Int) throws {
        try inContext { context in
            var author: ManagedObject?
            var notes: [ManagedObject] = []
            for number in 0..<bookCount {
                let book = try context.insertNewObject(forEntityName: "Book")
                try book.setValue("Book \(number)", forKey: "title")
                if number % 10 == 0 {
                    author = try context.insertNewObject(forEntityName: "Author")
                    try author?.setValue("Author \(number)", forKey: "name")
                }
                if number % 2 == 0 {
                    notes = try (0..<2).map { _ in
                        try context.insertNewObject(forEntityName: "Note")
                    }
                }
                try book.setValue(author, forKey: "author")
                try book.setValue(notes, forKey: "tags")
                let review = try context.insertNewObject(forEntityName: "Review")
                try review.setValue(book, forKey: "book")
            }
            try context.save()
        }
        stack.coordinator.forgetRows()
        _ = line.takeMessages()
    }

    private static func request(
        _ entity: String, _ paths: [String]
    ) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entity)
        request.relationshipKeyPathsForPrefetching = paths
        return request
    }

    @Test func `takes four messages for 10,000 objects with three relationships`() throws {
        try save(bookCount: 10_000)

        let (count, messages) = try inContext { [line] context in
            let books: [ManagedObject] = try context.fetch(
                Self.request("Book", ["author", "tags", "reviews"]))
            let messages = line.takeMessages()
            let authors = try books.map { try $0.value(forKey: "author") as? ManagedObject }
            let notes = try books.flatMap { Array(try $0.objects("tags")) }
            let reviews = try books.flatMap { Array(try $0.objects("reviews")) }
            #expect(authors.allSatisfy { $0?.isFault == false })
            #expect((notes + reviews).allSatisfy { !$0.isFault })
            #expect(notes.count == 20_000 && reviews.count == 10_000)
            return (books.count, messages)
        }

        #expect(count == 10_000)
        #expect(messages == ["snapshot", "fetch", "members", "rows"])
        #expect(line.takeMessages() == [])
    }

    @Test func `asks for the rows of several relationships together`() throws {
        try save(bookCount: 100)
        line.preferences.sendsRowsWithMembers = false

        let messages = try inContext { [line] context in
            let books: [ManagedObject] = try context.fetch(
                Self.request("Book", ["author", "tags", "reviews"]))
            #expect(books.count == 100)
            return line.takeMessages()
        }

        #expect(messages == ["snapshot", "fetch", "members", "rows"])
    }

    @Test func `sends as many IDs and rows per call as the engine requests`() throws {
        try save(bookCount: 25)
        line.preferences = ReadPreferences(rowsPerBatch: 10, idsPerCall: 10)

        let messages = try inContext { [line] context in
            var request = FetchRequest<ManagedObject>("Book")
            request.returnsObjectsAsFaults = true
            let books: [ManagedObject] = try context.fetch(request)
            let fetching = line.takeMessages()
            try context.fireFaults(of: books)
            return (fetching, line.takeMessages())
        }

        #expect(messages.0 == ["snapshot", "fetch", "next batch", "next batch"])
        #expect(messages.1 == ["snapshot", "rows", "rows", "rows"])
    }

    @Test func `sends nothing when a prefetched path of two relationships is followed`() throws {
        try save(bookCount: 40)
        let handle = ContextHandle(coordinator: stack.coordinator)
        let held = Held()
        try handle.performAndWait { context in
            held.objects = try context.fetch(Self.request("Author", ["books.tags"]))
        }
        _ = line.takeMessages()

        // In this later turn, only the array keeps objects alive.
        let counts = try handle.performAndWait { _ in
            let books = try held.objects.flatMap { Array(try $0.objects("books")) }
            let notes = try books.flatMap { Array(try $0.objects("tags")) }
            for object in books { _ = try object.value(forKey: "title") }
            for object in notes { _ = try object.value(forKey: "text") }
            return [books.count, notes.count]
        }

        #expect(counts == [40, 80])
        #expect(line.takeMessages() == [])
    }

    @Test func `leaves no reference cycle after prefetching paths in both directions`() throws {
        try save(bookCount: 40)

        let handle = ContextHandle(coordinator: stack.coordinator)
        try handle.performAndWait { context in
            for _ in 0..<2 {
                let authors: [ManagedObject] = try context.fetch(
                    Self.request("Author", ["books.tags", "books.author"]))
                let books: [ManagedObject] = try context.fetch(
                    Self.request("Book", ["author.books", "tags.books"]))
                let notes: [ManagedObject] = try context.fetch(
                    Self.request("Note", ["books.author", "books.tags"]))
                #expect(authors.count == 4 && books.count == 40 && notes.count == 40)
            }
        }

        let left = try handle.performAndWait { $0.registeredObjects.count }
        #expect(left == 0)
    }

    /// Holds objects from one turn to the next.
    private final class Held: @unchecked Sendable {
        // Unchecked because it is used only in turns of one context.
        var objects: [ManagedObject] = []
    }

    // MARK: The ends of snapshots

    @Test func `ends the snapshot after a fetch`() throws {
        try save(bookCount: 3)

        try inContext { context in
            let books: [ManagedObject] = try context.fetch(FetchRequest<ManagedObject>("Book"))
            let count = try context.count(for: FetchRequest<ManagedObject>("Book"))
            #expect(books.count == 3 && count == 3)
        }

        #expect(line.openSnapshots == 0)
    }

    @Test func `ends the snapshots of faults with the next save, and of pinned contexts at once`()
        throws
    {
        try save(bookCount: 3)
        let open = try inContext { [line] context in
            try context.setQueryGeneration(from: .current)
            let pinned = line.openSnapshots
            try context.setQueryGeneration(from: nil)
            let unpinned = line.openSnapshots
            var request = FetchRequest<ManagedObject>("Book")
            request.returnsObjectsAsFaults = true
            let book = try context.fetch(request)[0]
            _ = try book.value(forKey: "title")
            try book.setValue("other", forKey: "title")
            try context.save()
            return [pinned, unpinned, line.openSnapshots]
        }

        #expect(open == [1, 0, 0])
    }

    @Test func `replaces a snapshot that died by a new one`() throws {
        try save(bookCount: 3)
        let ids = try inContext { try $0.fetchIDs(FetchRequest<ManagedObject>("Book")) }
        _ = try stack.coordinator.row(for: ids[0])

        line.cut()
        let row = try stack.coordinator.row(for: ids[1])

        #expect(row?.id == ids[1])
        #expect(line.openSnapshots <= 1)
    }

    @Test func `says that the snapshot of a pinned context died`() throws {
        try save(bookCount: 3)

        try inContext { [line] context in
            try context.setQueryGeneration(from: .current)
            line.cut()

            let error = #expect(throws: GraphError.self) {
                _ = try context.fetch(FetchRequest<ManagedObject>("Book"))
            }

            guard case .store(.engineFailure(let failure)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.isTransient)
        }
    }

    // MARK: Saves by other programs

    /// Reads books twice, with a save by another program in between. Returns the titles and the messages of
    /// the second read.
    private func messagesAfterSaveElsewhere() throws -> (titles: [String], messages: [String]) {
        try save(bookCount: 100)
        let ids = try inContext { try $0.fetchIDs(FetchRequest<ManagedObject>("Book")) }
        let rows = try stack.coordinator.rows(for: ids)
        let row = rows[row: 0]
        let layout = try #require(stack.coordinator.layouts.layout(of: row.entity))
        try store.saveElsewhere { request in
            var writer = RowWriter(store: store.number)
            writer.begin(layout, key: row.key, version: row.version + 1)
            for (property, slot) in zip(layout.properties, layout.slots) {
                let isTitle = property.name == "title"
                try writer.set(
                    isTitle ? .string("elsewhere") : row.value(slot), at: slot, of: layout)
            }
            writer.endRow()
            request.updated = [
                RowUpdate(
                    row: writer.takeBatch()[row: 0], previousVersion: row.version,
                    changedSlots: [0])
            ]
        }
        // This call discovers the save.
        _ = try inContext { try $0.count(for: FetchRequest<ManagedObject>("Note")) }
        _ = line.takeMessages()
        let others = try stack.coordinator.rows(for: Array(ids.dropFirst()))
        let messages = line.takeMessages()
        let changed = try stack.coordinator.rows(for: [row.id])
        #expect(others.count == 99)
        return (stack.texts("title", changed), messages)
    }

    @Test func `keeps rows that others have not changed`() throws {
        let (titles, messages) = try messagesAfterSaveElsewhere()

        #expect(titles == ["elsewhere"])
        #expect(messages == [])
    }

    @Test func `reads all rows again if the engine cannot tell which ones changed`() throws {
        line.tellsChanges = false

        let (titles, messages) = try messagesAfterSaveElsewhere()

        #expect(titles == ["elsewhere"])
        #expect(messages.filter { $0 == "rows" }.count == 1)
    }
}

extension PersistentStoreCoordinator {
    /// Empties the row caches.
    fileprivate func forgetRows() {
        for attached in attachedStores { attached.rowCache.removeAll() }
    }
}

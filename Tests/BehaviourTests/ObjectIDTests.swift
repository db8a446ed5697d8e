import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Object IDs` {
    @Test(arguments: chosenEngines)
    func `are temporary before the first save and permanent after it`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            let before = tag.objectID
            try context.save()

            #expect(before.isTemporary)
            #expect(!tag.objectID.isTemporary)
            #expect(tag.objectID != before)
        }
    }

    @Test(arguments: chosenEngines)
    func `that are obtained early do not change when the object is saved`(_ type: StoreType) throws
    {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.obtainPermanentIDs(for: [tag])
            let early = tag.objectID
            try context.save()

            #expect(!early.isTemporary)
            #expect(tag.objectID == early)
            #expect(try context.existingObject(with: early) === tag)
        }
    }

    @Test(arguments: chosenEngines)
    func `that are obtained early leave the object marked as inserted`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.obtainPermanentIDs(for: [tag])

            #expect(tag.isInserted)
            #expect(context.insertedObjects == [tag])
            #expect(context.registeredObject(for: tag.objectID) === tag)
        }
    }

    @Test(arguments: chosenEngines)
    func `that are obtained one by one keep every relationship`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author", ["name": "A"])
            let tags = try (0..<3).map { try context.insert("Tag", ["name": "tag \($0)"]) }
            let books = try (0..<40).map { number in
                try context.insert(
                    "Book", ["title": "\(number)", "author": author, "tags": Set(tags)])
            }
            for object in books + tags + [author] {
                try context.obtainPermanentIDs(for: [object])
            }
            let ids = try author.objectIDs(forRelationshipNamed: "books")
            try context.save()

            #expect(Set(ids) == Set(books.map(\.objectID)))
            try context.refreshAllObjects()
            #expect(try Set(author.objects("books")) == Set(books))
            for tag in tags { #expect(try Set(tag.objects("books")) == Set(books)) }
            for book in books {
                #expect(try book.value(forKey: "author") as? ManagedObject === author)
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `that are obtained one by one keep a relationship's order`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let book = try context.insert("Book")
            let chapters = try (0..<30).map { try context.insert("Chapter", ["title": "\($0)"]) }
            for chapter in chapters { try book.orderedObjects("chapters").insert(chapter, at: 0) }
            for chapter in chapters { try context.obtainPermanentIDs(for: [chapter]) }
            try context.save()
            try context.refreshAllObjects()

            #expect(try book.names("chapters", "title") == (0..<30).reversed().map { "\($0)" })
        }
    }

    @Test(arguments: chosenEngines)
    func `that are obtained one by one keep a relationship without an inverse`(
        _ type: StoreType
    ) throws {
        try inLibrary(type) { context throws in
            let authors = try (0..<20).map { try context.insert("Author", ["name": "\($0)"]) }
            let club = try context.insert("Club", ["members": Set(authors), "head": authors[7]])
            for author in authors { try context.obtainPermanentIDs(for: [author]) }
            try context.save()
            try context.refreshAllObjects()

            #expect(try Set(club.objects("members")) == Set(authors))
            #expect(try club.value(forKey: "head") as? ManagedObject === authors[7])
        }
    }

    @Test(arguments: chosenEngines)
    func `that are obtained after a deletion and its undo keep every relationship`(
        _ type: StoreType
    ) throws {
        try inLibrary(type) { context throws in
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            let author = try context.insert("Author", ["name": "A"])
            let books = try (0..<20).map {
                try context.insert("Book", ["title": "\($0)", "author": author])
            }
            context.processPendingChanges()
            try context.delete(books[3])
            context.processPendingChanges()
            for object in [author] + books where object.managedObjectContext != nil {
                try context.obtainPermanentIDs(for: [object])
            }
            context.undo()
            try context.save()
            try context.refreshAllObjects()

            #expect(try Set(author.objects("books")) == Set(books))
        }
    }

    @Test func `that are obtained one by one cost the same for each object`() throws {
        func nanoseconds(_ count: Int) throws -> Double {
            let stack = try Library.stack(.inMemory)
            return try stack.inContext { context throws in
                let book = try context.insert("Book")
                let objects = try (0..<count).map { _ in try context.insert("Chapter") }
                for object in objects { try book.orderedObjects("chapters").append(object) }
                return try Self.processorTime {
                    for object in objects { try context.obtainPermanentIDs(for: [object]) }
                }
            }
        }

        let (few, many) = (try nanoseconds(1000), try nanoseconds(8000))

        // Eight times as many objects take about 8 times as long. It would be 64 times if each looked at all
        // the others.
        #expect(many / few < 24)
    }

    /// Returns the processor time of the calling thread, which does not include other programs' load.
    private static func processorTime(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
        }
        let start = now()
        try body()
        return now() - start
    }

    @Test(arguments: chosenEngines)
    func `are found again by their URIs`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.inContext { [coordinator = stack.coordinator] context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            let uri = tag.objectID.uriRepresentation()

            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == tag.objectID)
            #expect(uri.scheme == "x-coredata")
        }
    }

    @Test(arguments: chosenEngines)
    func `lead to the same object as long as it is held`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()

            #expect(try context.object(with: tag.objectID) === tag)
            #expect(try context.existingObject(with: tag.objectID) === tag)
            #expect(try context.only("Tag") === tag)
        }
    }

    @Test(arguments: chosenEngines)
    func `of another context's object lead to an object of this one`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        let id = try stack.inContext { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            return tag.objectID
        }
        try stack.inContext { context throws in
            let tag = try context.object(with: id)
            #expect(tag.isFault)
            #expect(try tag["name"] == "tag")
            #expect(tag.managedObjectContext === context)
        }
    }

    @Test(arguments: chosenEngines)
    func `are compared in predicates`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author", ["name": "A"])
            _ = try context.insert("Book", ["title": "b", "author": author])
            _ = try context.insert("Book", ["title": "c"])
            try context.save()
            var request = FetchRequest<ManagedObject>("Book")
            request.predicate = try FetchPredicate(
                format: "author == %@", arguments: [author.objectID])

            #expect(try context.fetch(request).map { try $0["title"] } == ["b"])
        }
    }
}

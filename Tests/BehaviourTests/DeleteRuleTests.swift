import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A deletion` {
    @Test(arguments: chosenEngines)
    func `deletes everything that it cascades to, however deep`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            let book = try context.insert("Book", ["author": author])
            for number in 0..<3 {
                try book.orderedObjects("chapters").append(
                    try context.insert("Chapter", ["title": "\(number)"]))
            }
            try context.save()
            try context.delete(author)
            try context.save()

            for entity in ["Author", "Book", "Chapter"] {
                #expect(try context.count(for: FetchRequest<ManagedObject>(entity)) == 0)
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `nullifies references to the object`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            let book = try context.insert("Book", ["author": author])
            try context.save()
            try context.delete(book)
            try context.save()

            #expect(!author.isDeleted)
            #expect(try author.objects("books").isEmpty)
        }
    }

    @Test(arguments: chosenEngines)
    func `nullifies to-ones of stored objects that nobody holds`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.fill { context throws in
            let mentor = try context.insert("Author", ["name": "M"])
            for number in 0..<5 {
                _ = try context.insert("Author", ["name": "P\(number)", "mentor": mentor])
            }
        }
        try stack.inContext { context throws in
            try context.delete(try context.only("Author", where: "name == 'M'"))
            try context.save()
        }
        try stack.inContext { context throws in
            let request = try FetchRequest<ManagedObject>("Author", where: "mentor == nil")
            #expect(try context.count(for: request) == 5)
        }
    }

    @Test(arguments: chosenEngines)
    func `removes links of a many-to-many`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            let books = try (0..<2).map { _ in try context.insert("Book", ["tags": Set([tag])]) }
            try context.save()
            try context.delete(tag)
            try context.save()

            for book in books { #expect(try book.objects("tags").isEmpty) }
        }
    }

    @Test(arguments: chosenEngines)
    func `is denied while a relationship has a destination`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            let club = try context.insert("Club", ["members": Set([author])])
            try context.save()
            try context.delete(club)

            let error = #expect(throws: GraphError.self) { try context.save() }

            #expect(error?.code == 1600)
            #expect(club.isDeleted)
            try club.objects("members").removeAll()
            try context.save()
            #expect(try context.count(for: FetchRequest<ManagedObject>("Club")) == 0)
        }
    }

    @Test(arguments: chosenEngines)
    func `is allowed if the destinations are deleted too`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            let club = try context.insert("Club", ["members": Set([author])])
            try context.save()
            try context.delete(club)
            try context.delete(author)
            try context.save()

            #expect(try context.count(for: FetchRequest<ManagedObject>("Club")) == 0)
        }
    }

    @Test(arguments: chosenEngines)
    func `ends if its cascades form a cycle`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let one = try context.insert("Author", ["name": "1"])
            let two = try context.insert("Author", ["name": "2", "mentor": one])
            try one.setValue(two, forKey: "mentor")
            try context.save()
            try context.delete(one)
            try context.save()

            #expect(try two["mentor"] == .null)
            #expect(try context.only("Author") === two)
        }
    }

    @Test(arguments: chosenEngines)
    func `calls its hook once, however often it is requested`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let tag = try context.insertHooked("Tag", ["name": "tag"])
            try context.save()
            try context.delete(tag)
            try context.delete(tag)
            context.processPendingChanges()
            try context.delete(tag)

            #expect(tag.callCount("prepareForDeletion") == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `leaves relationships intact for its hook`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let author = try context.insertHooked("Author")
            _ = try context.insertHooked("Book", ["title": "b", "author": author])
            try context.save()
            nonisolated(unsafe) var seen: [String] = []
            author.onDeletion = { seen = (try? $0.names("books", "title")) ?? [] }
            try context.delete(author)

            #expect(seen == ["b"])
        }
    }

    @Test(arguments: chosenEngines)
    func `hides the object from fetches before it is saved`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            try context.delete(tag)
            var stored = FetchRequest<ManagedObject>("Tag")
            stored.includesPendingChanges = false

            #expect(try context.count(for: FetchRequest<ManagedObject>("Tag")) == 0)
            #expect(try context.count(for: stored) == 1)
            #expect(context.deletedObjects == [tag])
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps the object's values until it is saved`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            try context.delete(tag)
            context.processPendingChanges()
            let before = try tag["name"]
            try context.save()

            #expect(before == "tag")
            #expect(!tag.isDeleted)
            #expect(tag.managedObjectContext == nil)
        }
    }

    @Test(arguments: chosenEngines)
    func `of an object of another context is refused`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.inContext { [coordinator = stack.coordinator] context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            let id = tag.objectID
            // Only this thread uses the two contexts.
            nonisolated(unsafe) let context = context
            try ContextHandle(coordinator: coordinator).performAndWait { other throws in
                let same = try other.existingObject(with: id)
                #expect(throws: GraphError.self) { try context.delete(same) }
            }
        }
    }
}

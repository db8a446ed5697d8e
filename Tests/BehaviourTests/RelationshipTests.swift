import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A relationship` {
    @Test(arguments: chosenEngines)
    func `to one adds the object to the other end`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            let book = try context.insert("Book", ["title": "b", "author": author])

            #expect(try author.names("books", "title") == ["b"])
            #expect(try book.value(forKey: "author") as? ManagedObject === author)
        }
    }

    @Test(arguments: chosenEngines)
    func `to many sets the other end, and removes the member from its former owner`(
        _ type: StoreType
    ) throws {
        try inLibrary(type) { context throws in
            let (one, two) = (try context.insert("Author"), try context.insert("Author"))
            let book = try context.insert("Book", ["author": one])
            try two.objects("books").insert(book)

            #expect(try one.objects("books").isEmpty)
            #expect(try book.value(forKey: "author") as? ManagedObject === two)
        }
    }

    @Test(arguments: chosenEngines)
    func `to many can be set with a set, an array, or its mutable set`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            let books = try (0..<3).map { try context.insert("Book", ["title": "\($0)"]) }
            try author.setValue(Set(books), forKey: "books")
            let fromSet = try author.names("books", "title")
            try author.setValue(Array(books.prefix(1)), forKey: "books")
            let fromArray = try author.names("books", "title")
            try author.mutableSetValue(forKey: "books").insert(books[2])
            let added = try author.names("books", "title")
            try author.setValue(nil, forKey: "books")

            #expect(fromSet == ["0", "1", "2"])
            #expect(fromArray == ["0"])
            #expect(added == ["0", "2"])
            #expect(try author.objects("books").isEmpty)
        }
    }

    @Test(arguments: chosenEngines)
    func `many-to-many is the same from both ends after a save`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tags = try ["aa", "bb"].map { try context.insert("Tag", ["name": $0]) }
            let books = try (0..<2).map { try context.insert("Book", ["title": "\($0)"]) }
            try books[0].setValue(Set(tags), forKey: "tags")
            try tags[1].objects("books").insert(books[1])
            try context.save()
            try context.refreshAllObjects()

            #expect(try books[0].names("tags", "name") == ["aa", "bb"])
            #expect(try books[1].names("tags", "name") == ["bb"])
            #expect(try tags[1].names("books", "title") == ["0", "1"])
        }
    }

    @Test(arguments: chosenEngines)
    func `many-to-many within one entity is set at both ends`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let (one, two) = (
                try context.insert("Author", ["name": "1"]),
                try context.insert("Author", ["name": "2"])
            )
            try one.objects("friends").insert(two)
            try context.save()
            try context.refreshAllObjects()

            #expect(try two.names("friends", "name") == ["1"])
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps its order over a save`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let book = try context.insert("Book")
            for title in ["c", "a", "b"] {
                try book.orderedObjects("chapters").append(
                    try context.insert("Chapter", ["title": title]))
            }
            try context.save()
            try context.refreshAllObjects()

            #expect(try book.names("chapters", "title") == ["c", "a", "b"])
        }
    }

    @Test(arguments: chosenEngines)
    func `supports insertions, moves and removals in its order`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let book = try context.insert("Book")
            let chapters = try book.orderedObjects("chapters")
            for title in ["1", "2", "3", "4"] {
                try chapters.append(try context.insert("Chapter", ["title": title]))
            }
            try context.save()
            try chapters.insert(try context.insert("Chapter", ["title": "0"]), at: 0)
            try chapters.moveMembers(at: [4], to: 1)
            try chapters.remove(at: 2)
            try context.save()
            try context.refreshAllObjects()

            #expect(try book.names("chapters", "title") == ["0", "4", "2", "3"])
        }
    }

    @Test(arguments: chosenEngines)
    func `is not saved if its order is as it was, so that others may change its object`(
        _ type: StoreType
    ) throws {
        let stack = try Library.stack(type)
        try stack.inContext { context throws in
            let book = try context.insert("Book", ["title": "mine"])
            let chapters = try ["1", "2"].map { try context.insert("Chapter", ["title": $0]) }
            for chapter in chapters { try book.orderedObjects("chapters").append(chapter) }
            try context.save()
            let id = book.objectID
            try stack.inContext { other throws in
                try other.object(with: id).setValue("theirs", forKey: "title")
                try other.save()
            }
            try book.orderedObjects("chapters").remove(chapters[1])
            try book.orderedObjects("chapters").append(chapters[1])
            try context.save()
            try context.refreshAllObjects()

            #expect(try book.names("chapters", "title") == ["1", "2"])
            #expect(try book["title"] == "theirs")
        }
    }

    @Test(arguments: chosenEngines)
    func `without an inverse works in one direction`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author", ["name": "A"])
            let club = try context.insert("Club", ["members": Set([author]), "head": author])
            try context.save()
            try context.refreshAllObjects()

            #expect(try club.names("members", "name") == ["A"])
            #expect(try club.value(forKeyPath: "head.name") as? String == "A")
        }
    }

    @Test(arguments: chosenEngines)
    func `refuses an object of another entity`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let (book, tag) = (try context.insert("Book"), try context.insert("Tag"))

            #expect(throws: GraphError.self) { try book.setValue(tag, forKey: "author") }
            #expect(throws: GraphError.self) { try book.setValue("tag", forKey: "author") }
        }
    }

    @Test(arguments: chosenEngines)
    func `accepts an object of a subentity`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            let novel = try context.insert("Novel", ["title": "n", "author": author])
            try context.save()
            try context.refreshAllObjects()

            #expect(try Array(author.objects("books")) == [novel])
        }
    }

    @Test(arguments: chosenEngines)
    func `refuses an object of another context`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.inContext { [coordinator = stack.coordinator] context throws in
            // Only this thread uses the two contexts.
            nonisolated(unsafe) let book = try context.insert("Book")
            let other = ContextHandle(coordinator: coordinator)
            try other.performAndWait { other throws in
                let author = try other.insert("Author")
                #expect(throws: GraphError.self) { try book.setValue(author, forKey: "author") }
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `is a fault until it is followed`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.fill { context throws in
            let author = try context.insert("Author")
            _ = try context.insert("Book", ["author": author])
        }
        try stack.inContext { context throws in
            let author = try context.only("Author")
            let before = try author.hasFault(forRelationshipNamed: "books")
            _ = try author.objectIDs(forRelationshipNamed: "books")

            #expect(before)
            #expect(try !author.hasFault(forRelationshipNamed: "books"))
        }
    }
}

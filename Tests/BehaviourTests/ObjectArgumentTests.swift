import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `An object as an argument of a predicate` {
    private static func author(_ name: String, _ context: ManagedObjectContext) throws
        -> ManagedObject
    {
        try context.only("Author", where: "name == '\(name)'")
    }

    @Test(arguments: chosenEngines)
    func `is compared with relationships and with SELF`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let (ann, bob) = (try Self.author("Ann", context), try Self.author("Bob", context))
            let books = try Shelf.books(context)
            let cases: [(String, [any PredicateArgument], String)] = [
                ("author == %@", [ann], "ab"), ("author != %@", [ann], "cde"),
                ("author == %@", [ann.objectID], "ab"), ("NOT (author == %@)", [ann], "cde"),
                ("author IN %@", [[ann, bob]], "abc"), ("author IN %@", [Set([bob])], "c"),
                ("author IN %@", [[ann.objectID]], "ab"),
                ("author IN {%@, %@}", [ann, bob], "abc"),
                ("author IN %@", [[ManagedObject]()], ""), ("NOT (author IN %@)", [[ann]], "cde"),
                ("author.mentor == %@", [ann], "c"), ("SELF == %@", [books[3]], "d"),
                ("SELF IN %@", [[books[0], books[4]]], "ae"), ("SELF IN %@", [Set(books)], "abcde"),
                ("ANY author.books == %@", [books[0]], "ab"),
                ("%@ IN author.books", [books[0]], "ab"),
                ("author.books CONTAINS %@", [books[1]], "ab"),
                ("NONE author.books == %@", [books[0]], "cde"),
                ("SUBQUERY(author.books, $b, $b == %@).@count > 0", [books[2]], "c"),
                ("author == %@", [ManagedObject?.none], "de"),
                ("author == %@", [ManagedObject?.some(bob)], "c"),
                ("author IN %@", [try ann.objects("pupils")], "c"),
                ("SELF IN %@", [try context.fetch(FetchRequest<ManagedObject>("Novel"))], "e"),
            ]
            for (format, arguments, expected) in cases {
                let predicate = try FetchPredicate(format: format, arguments: arguments)

                #expect(try Shelf.fetched(context, predicate) == expected, "\(format)")
                let found = try books.filtered(using: predicate)
                #expect(try Shelf.titles(found) == expected, "\(format) in memory")
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `stands for a variable`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let ann = try Self.author("Ann", context)
            let predicate = try FetchPredicate(format: "author == $WHO OR author IN $MANY")
                .substituting(variables: ["WHO": ann, "MANY": [ann, ann]])

            #expect(try Shelf.fetched(context, predicate) == "ab")
        }
    }

    @Test(arguments: chosenEngines)
    func `matches an unsaved relationship, and still after its save`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let eve = try context.insert("Author", ["name": "Eve"])
            let predicate = try FetchPredicate(format: "author == %@", eve)
            let inList = try FetchPredicate(format: "author IN %@", [eve])
            #expect(try Shelf.fetched(context, predicate) == "")
            let book = try Shelf.books(context)[3]
            try book.setValue(eve, forKey: "author")

            #expect(try Shelf.fetched(context, predicate) == "d")
            #expect(try predicate.evaluate(with: book))
            try context.save()
            #expect(try Shelf.fetched(context, predicate) == "d")
            #expect(try predicate.evaluate(with: book))
            _ = try context.insert("Tag", ["name": "other"])
            try context.save()
            #expect(try Shelf.fetched(context, predicate) == "d")
            #expect(try Shelf.fetched(context, inList) == "d")
            context.reset()
            #expect(try Shelf.fetched(context, predicate) == "d")
        }
    }

    @Test(arguments: chosenEngines)
    func `is followed by a results controller after its save`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let eve = try context.insert("Author", ["name": "Eve"])
            var request = FetchRequest<ManagedObject>("Book")
            request.predicate = try FetchPredicate(format: "author == %@", eve)
            request.sortDescriptors = [FetchSortDescriptor("title")]
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            try controller.performFetch()
            let books = try Shelf.books(context)
            try books[3].setValue(eve, forKey: "author")
            context.processPendingChanges()
            #expect(controller.fetchedObjects == [books[3]])
            try context.save()
            #expect(controller.fetchedObjects == [books[3]])

            // For this event the controller examines only the book, without a fetch.
            try books[3].setValue(7, forKey: "pages")
            context.processPendingChanges()
            #expect(controller.fetchedObjects == [books[3]])
            try books[4].setValue(eve, forKey: "author")
            context.processPendingChanges()
            #expect(controller.fetchedObjects == [books[3], books[4]])
        }
    }

    @Test(arguments: chosenEngines)
    func `that a parent saved matches in a child`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.child.performAndWait { child throws in
            let eve = try child.insert("Author", ["name": "Eve"])
            _ = try child.insert("Book", ["title": "e", "author": eve])
            let predicate = try FetchPredicate(format: "author == %@", eve)
            #expect(try Shelf.fetched(child, predicate) == "e")
            try child.save()
            #expect(try Shelf.fetched(child, predicate) == "e")
            try family.parent.performAndWait { try $0.save() }
            #expect(try Shelf.fetched(child, predicate) == "e")
        }
    }

    @Test(arguments: chosenEngines)
    func `of another context is compared by its ID`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.fill { try Shelf.fill($0) }
        try stack.inContext { context throws in
            nonisolated(unsafe) var ofAnother: FetchPredicate?
            nonisolated(unsafe) var ofUnsaved: FetchPredicate?
            try stack.inContext { other throws in
                ofAnother = try FetchPredicate(
                    format: "author == %@", try Self.author("Ann", other))
                ofUnsaved = try FetchPredicate(format: "author == %@", try other.insert("Author"))
            }

            #expect(try Shelf.fetched(context, try #require(ofAnother)) == "ab")
            #expect(try Shelf.fetched(context, try #require(ofUnsaved)) == "")
        }
    }

    @Test(arguments: chosenEngines)
    func `of another coordinator or entity equals nothing`(_ type: StoreType) throws {
        let stranger = try Library.stack(type)
        try stranger.fill { try Shelf.fill($0) }
        let id = try stranger.inContext { try Self.author("Ann", $0).objectID }
        try inShelf(type) { context throws in
            let tag = try context.only("Tag")
            let books = try Shelf.books(context)
            for argument in [id, tag.objectID] {
                let equal = try FetchPredicate(format: "author == %@", argument)
                let other = try FetchPredicate(format: "author != %@", argument)
                let among = try FetchPredicate(format: "author IN %@", [argument])

                #expect(try Shelf.fetched(context, equal) == "")
                #expect(try Shelf.fetched(context, other) == "abcde")
                #expect(try Shelf.fetched(context, among) == "")
                #expect(try books.filtered(using: equal) == [])
                #expect(try books.filtered(using: other) == books)
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `that is gone is compared by the ID that it had`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let bob = try Self.author("Bob", context)
            let tag = try context.only("Tag")
            let byTag = try FetchPredicate(format: "ANY tags == %@", tag)
            #expect(try Shelf.fetched(context, byTag) == "ac")
            try context.delete(tag)
            try context.save()
            context.reset()

            #expect(try Shelf.fetched(context, FetchPredicate(format: "author == %@", bob)) == "c")
            #expect(try Shelf.fetched(context, byTag) == "")
            #expect(try Shelf.fetched(context, FetchPredicate(format: "ANY tags == %@", tag)) == "")
        }
    }

    @Test(arguments: chosenEngines)
    func `cannot be compared with a value`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let ann = try Self.author("Ann", context)
            for format in ["title == %@", "pages > %@", "author > %@", "author BEGINSWITH %@"] {
                let predicate = try FetchPredicate(format: format, ann)
                let error = #expect(throws: GraphError.self) {
                    try Shelf.fetched(context, predicate)
                }
                guard case .predicate(.typeMismatch)? = error else {
                    Issue.record("\(format): \(error as Any)")
                    continue
                }
            }
        }
    }
}

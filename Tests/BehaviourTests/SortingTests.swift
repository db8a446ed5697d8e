import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Sorting in memory` {
    @Test(
        arguments: chosenEngines,
        [
            [FetchSortDescriptor("title", ascending: false)],
            [FetchSortDescriptor("author.name"), FetchSortDescriptor("pages", ascending: false)],
            [FetchSortDescriptor("tags.@count"), FetchSortDescriptor("title")],
            [FetchSortDescriptor("author.books.@sum.pages"), FetchSortDescriptor("title")],
        ])
    func `returns the order of a fetch`(
        _ type: StoreType, _ descriptors: [FetchSortDescriptor]
    ) throws {
        try inShelf(type) { context throws in
            var request = FetchRequest<ManagedObject>("Book")
            request.sortDescriptors = descriptors
            let fetched = try context.fetch(request) as [ManagedObject]
            let books = try Shelf.books(context)

            #expect(try books.sorted(using: descriptors) == fetched)
            #expect(try Set(books).sorted(using: descriptors) == fetched)
        }
    }

    @Test(arguments: chosenEngines)
    func `keeps equal objects in an array's order, and sorts those of a set by ID`(
        _ type: StoreType
    ) throws {
        try inShelf(type) { context throws in
            let books = try Shelf.books(context)
            let backwards = Array(books.reversed())
            let bySeller = [FetchSortDescriptor("price")]

            #expect(try backwards.sorted(using: bySeller) == backwards)
            #expect(try backwards.sorted(using: []) == backwards)
            #expect(try Set(books).sorted(using: bySeller) == books)
        }
    }

    @Test(arguments: chosenEngines)
    func `sees unsaved and transient values`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let books = try Shelf.books(context)
            try books[0].setValue(1000, forKey: "pages")
            let added = try context.insert("Book", ["title": "n", "pages": 25])
            let authors = try context.fetch(FetchRequest<ManagedObject>("Author"))
            for author in authors {
                let name = try author.value(forKey: "name") as? String
                try author.setValue(name == "Ann" ? "z" : "b", forKey: "mood")
            }

            let byPages = try (books + [added]).sorted(using: [FetchSortDescriptor("pages")])
            #expect(try Shelf.titles(byPages) == "bncdea")
            let byMood = try Array(authors).sorted(using: [FetchSortDescriptor("mood")])
            #expect(try byMood.map { try $0["name"] } == ["Bob", "Ann"])
        }
    }

    @Test(arguments: chosenEngines)
    func `sorts the members of relationships`(_ type: StoreType) throws {
        try inShelf(type) { context throws in
            let ann = try context.only("Author", where: "name == 'Ann'")
            let book = try Shelf.books(context)[0]
            for title in ["y", "x", "z"] {
                let chapter = try context.insert("Chapter", ["title": title])
                try book.orderedObjects("chapters").append(chapter)
            }
            let down = [FetchSortDescriptor("title", ascending: false)]

            #expect(try Shelf.titles(ann.objects("books").sorted(using: down)) == "ba")
            #expect(try Shelf.titles(book.orderedObjects("chapters").sorted(using: down)) == "zyx")
        }
    }

    @Test(arguments: chosenEngines)
    func `sorts objects of several entities if their values can be compared`(_ type: StoreType)
        throws
    {
        try inShelf(type) { context throws in
            let mixed = try [context.only("Tag")] + context.fetch(FetchRequest("Author"))
            let byName = try mixed.sorted(using: [FetchSortDescriptor("name")])
            #expect(try byName.map { try $0["name"] } == ["Ann", "Bob", "red"])

            let ticket = try context.insert("Ticket", ["price": 1])
            let priced = try Shelf.books(context) + [ticket]
            #expect(throws: GraphError.self) {
                try priced.sorted(using: [FetchSortDescriptor("price")])
            }
            #expect(throws: GraphError.self) {
                try mixed.sorted(using: [FetchSortDescriptor("born")])
            }
        }
    }
}

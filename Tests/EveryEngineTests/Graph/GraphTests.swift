import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// The behaviour of contexts, on every engine.
@Suite struct `A graph of objects` {
    @Test(arguments: everyEngine)
    func `keeps values of every type`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        let code = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 12_345.5)
        try stack.inContext { context in
            _ = try context.insert(
                "Novel",
                [
                    "title": "Émile “𝛼”\n\u{0}", "pages": Int(Int16.min), "sold": Int(Int32.max),
                    "words": Int64.max, "price": Decimal(12.5), "rating": 0.1,
                    "weight": Float(1.5), "isSigned": true, "published": date,
                    "sample": Data([0, 255, 1]), "code": code,
                    "page": URL(string: "https://example.org/a?b=c") as Any, "hero": "",
                ])
            try context.save()
        }
        try stack.reopen()

        try stack.inContext { context in
            let book = try context.only("Book")

            #expect(book.entity.name == "Novel")
            #expect(try book["title"] == "Émile “𝛼”\n\u{0}")
            #expect(try book["pages"] == .integer(Int64(Int16.min)))
            #expect(try book["sold"] == .integer(Int64(Int32.max)))
            #expect(try book["words"] == .integer(Int64.max))
            #expect(try book["price"] == .decimal(Decimal(string: "12.5") ?? 0))
            #expect(try book["rating"] == 0.1)
            #expect(try book["weight"] == .float(1.5))
            #expect(try book["isSigned"] == true)
            #expect(try book["published"] == .date(date))
            #expect(try book["sample"] == .binary(Data([0, 255, 1])))
            #expect(try book["code"] == .uuid(code))
            #expect(
                try book.value(forKey: "page") as? URL == URL(string: "https://example.org/a?b=c"))
            #expect(try book["hero"] == "")
            #expect(try book["author"] == .null)
        }
    }

    @Test(arguments: everyEngine)
    func `keeps relationships of every shape`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        try stack.inContext { context in
            let author = try context.insert("Author", ["name": "Woolf"])
            let friend = try context.insert("Author", ["name": "Eliot"])
            try author.objects("friends").insert(friend)
            try author.setValue(try context.insert("Portrait"), forKey: "portrait")
            let book = try context.insert("Novel", ["title": "Orlando"])
            try author.objects("books").insert(book)
            let genres = try ["satire", "history"].map { try context.insert("Genre", ["name": $0]) }
            try book.setValue(genres, forKey: "genres")
            let chapters = try ["1", "2", "3"].map { try context.insert("Chapter", ["title": $0]) }
            try book.setValue(chapters, forKey: "chapters")
            try context.save()
        }
        try stack.reopen()

        try stack.inContext { context in
            let author = try context.only("Author", where: "name == 'Woolf'")
            let friend = try context.only("Author", where: "ANY friends.name == 'Woolf'")
            let book = try context.only("Book", where: "author.name == 'Woolf'")
            let genre = try context.only("Genre", where: "name == 'satire'")

            #expect(try author.names("friends", "name") == ["Eliot"])
            #expect(try friend.names("friends", "name") == ["Woolf"])
            #expect(try author.value(forKeyPath: "portrait.author.name") as? String == "Woolf")
            #expect(try author.names("books", "title") == ["Orlando"])
            #expect(try book.names("genres", "name") == ["history", "satire"])
            #expect(try genre.names("books", "title") == ["Orlando"])
            #expect(try book.names("chapters", "title") == ["1", "2", "3"])
        }
    }

    @Test(arguments: everyEngine)
    func `changes, moves, unlinks and deletes`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        try stack.inContext { context in
            let author = try context.insert("Author", ["name": "A"])
            let book = try context.insert("Book", ["title": "B"])
            let kept = try context.insert("Book", ["title": "kept"])
            try author.setValue([book, kept], forKey: "books")
            try author.objects("friends").insert(author)
            for number in 0..<5 {
                let chapter = try context.insert("Chapter", ["title": "\(number)"])
                try book.orderedObjects("chapters").append(chapter)
            }
            try book.setValue(
                try ["x", "y", "z"].map { try context.insert("Genre", ["name": $0]) },
                forKey: "genres")
            try context.save()
        }
        try stack.inContext { context in
            let book = try context.only("Book", where: "title == 'B'")
            let chapters: OrderedObjects<ManagedObject> = try book.orderedObjects("chapters")
            let last = try #require(try chapters.member(at: 4))
            let second = try #require(try chapters.member(at: 1))
            try chapters.move(last, to: 0)
            try context.delete(second)
            try book.objects("genres").remove(try context.only("Genre", where: "name == 'x'"))
            try context.delete(try context.only("Genre", where: "name == 'y'"))
            try book.objects("genres").insert(try context.insert("Genre", ["name": "w"]))
            try book.setValue("C", forKey: "title")
            try context.only("Book", where: "title == 'kept'").setValue(nil, forKey: "author")
            try context.save()
        }
        try stack.reopen()
        try stack.inContext { context in
            let book = try context.only("Book", where: "title == 'C'")

            #expect(try book.names("chapters", "title") == ["4", "0", "2", "3"])
            #expect(try book.names("genres", "name") == ["w", "z"])
            #expect(book.rowVersion == 2)
            try context.delete(try context.only("Author"))
            try context.save()
        }
        try stack.reopen()

        try stack.inContext { context in
            let left = try ["Author", "Book", "Chapter", "Genre"].map {
                try context.count(for: FetchRequest<ManagedObject>($0))
            }

            #expect(left == [0, 1, 0, 3])
            #expect(try context.only("Book")["title"] == "kept")
            #expect(try context.only("Genre", where: "name == 'w'").objects("books").isEmpty)
        }
    }

    @Test(arguments: everyEngine)
    func `keeps an ordered many-to-many and one without an inverse`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        let marks = try stack.inContext { context in
            let shelf = try context.insert("Shelf")
            let marks = try (0..<4).map { _ in try context.insert("Mark") }
            try shelf.setValue(marks, forKey: "books")
            try shelf.objects("guards").insert(try context.insert("Author", ["name": "G"]))
            try context.save()
            let books: OrderedObjects<ManagedObject> = try shelf.orderedObjects("books")
            try books.move(marks[3], to: 1)
            try books.remove(marks[0])
            try context.save()
            return [marks[3], marks[1], marks[2]].map { $0.objectID.uriRepresentation() }
        }
        try stack.reopen()

        try stack.inContext { context in
            let shelf = try context.only("Shelf")
            let books = try shelf.orderedObjects("books").objectIDs().map { $0.uriRepresentation() }

            #expect(books == marks)
            #expect(try shelf.names("guards", "name") == ["G"])
            try context.delete(shelf)
            #expect(throws: GraphError.self) { try context.save() }
        }
    }

    @Test(arguments: everyEngine)
    func `reports conflicts and saves after a refresh`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        try stack.inContext { context in
            for name in ["one", "two"] { _ = try context.insert("Genre", ["name": name]) }
            try context.save()
        }
        let mine = ContextHandle(coordinator: stack.coordinator)
        let theirs = ContextHandle(coordinator: stack.coordinator)

        try mine.performAndWait { context in
            let genres: [ManagedObject] = try context.fetch(FetchRequest("Genre"))
            for genre in genres { try genre.setValue("mine", forKey: "name") }
            try theirs.performAndWait { other in
                for genre in try other.fetch(FetchRequest<ManagedObject>("Genre")) {
                    try genre.setValue("theirs", forKey: "name")
                }
                try other.save()
            }
            var conflicts: [ObjectID] = []
            do {
                try context.save()
            } catch GraphError.mergeConflicts(let found) {
                conflicts = found.map(\.objectID)
            }
            for genre in genres { try context.refresh(genre, mergeChanges: true) }
            try context.save()

            #expect(Set(conflicts) == Set(genres.map(\.objectID)))
        }
        let names = try stack.inContext { context in
            try context.fetch(FetchRequest<ManagedObject>("Genre")).map { try $0["name"] }
        }
        #expect(names == ["mine", "mine"])
    }

    @Test(arguments: everyEngine)
    func `fires many faults, and takes unsaved changes into account when it fetches`(
        _ type: StoreType
    ) throws {
        let stack = try GraphStack(type)
        try stack.inContext { context in
            for number in 0..<3000 {
                _ = try context.insert(
                    number.isMultiple(of: 2) ? "Book" : "Novel", ["sold": number])
            }
            try context.save()
        }
        try stack.reopen()

        try stack.inContext { context in
            var request = try FetchRequest<ManagedObject>("Book", where: "sold >= %d", 10)
            request.sortDescriptors = [FetchSortDescriptor("sold")]
            request.returnsObjectsAsFaults = true
            let faults: [ManagedObject] = try context.fetch(request)
            var sum: Int64 = 0
            for fault in faults { sum += try fault.value(forKey: "sold") as? Int64 ?? 0 }
            #expect(faults.count == 2990)
            #expect(sum == (10..<3000).reduce(0, +))

            try context.delete(faults[0])
            try faults[1].setValue(5, forKey: "sold")
            _ = try context.insert("Novel", ["sold": 12])
            request.fetchLimit = 3
            request.fetchOffset = 1
            let page = try context.fetch(request).map { try $0["sold"] }
            #expect(page == [12, 13, 14])
        }
    }
}

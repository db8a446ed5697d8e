import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Each change is undone and redone, before and after saves, on every engine.
@Suite struct `Undo on every engine` {
    /// A user's step, and its effect on a library.
    struct Step: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (ManagedObjectContext) throws -> Void

        /// Creates a step.
        ///
        /// - Parameter body: May fetch, and thereby end events. The step is one group nevertheless.
        init(
            _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
        ) {
            testDescription = name
            run = { context in
                context.undoManager?.beginUndoGrouping()
                try body(context)
                context.undoManager?.endUndoGrouping()
            }
        }
    }

    static let steps: [Step] = [
        Step("a value is set") { try $0.book("Dune").setValue(412, forKey: "pages") },
        Step("many values are set") { context in
            let book = try context.book("Dune")
            try book.setValue(Date(timeIntervalSinceReferenceDate: 7), forKey: "published")
            try book.setValue(Data([1, 2, 3]), forKey: "sample")
            try book.setValue(Decimal(string: "9.95"), forKey: "price")
            try book.setValue(nil, forKey: "words")
        },
        Step("an object is inserted and related") { context in
            let book = try context.insert("Novel", ["title": "Emma", "hero": "Emma"])
            try book.setValue(try context.author("Herbert"), forKey: "author")
            try book.objects("genres").insert(try context.genre("Desert"))
            let chapter = try context.insert("Chapter", ["title": "E1"])
            try book.orderedObjects("chapters").append(chapter)
        },
        Step("a to-one is set") { context in
            try context.book("Dune").setValue(try context.author("Lem"), forKey: "author")
        },
        Step("a to-one is cleared") { try $0.book("Dune").setValue(nil, forKey: "author") },
        Step("a one-to-one is taken from another object") { context in
            let portrait = try context.author("Herbert").value(forKey: "portrait")
            try context.author("Lem").setValue(portrait, forKey: "portrait")
        },
        Step("a member is added") { context in
            try context.book("Solaris").objects("genres").insert(try context.genre("Desert"))
        },
        Step("a member is removed, seen from the other end") { context in
            try context.genre("Desert").objects("books").remove(try context.book("Dune"))
        },
        Step("a relationship of one entity to itself is changed") { context in
            let friends = try context.author("Lem").objects("friends")
            try friends.insert(try context.author("Herbert"))
        },
        Step("a member of an order is moved") { context in
            let chapters = try context.book("Dune").orderedObjects("chapters")
            let last = try #require(try chapters.member(at: 3))
            try chapters.move(last, to: 1)
        },
        Step("an order is turned round") { context in
            let chapters = try context.book("Dune").orderedObjects("chapters")
            try chapters.replaceAll(with: Array(chapters).reversed())
        },
        Step("a member of an order goes elsewhere") { context in
            let chapters = try context.book("Dune").orderedObjects("chapters")
            let second = try #require(try chapters.member(at: 1))
            try context.book("Solaris").orderedObjects("chapters").insert(second, at: 0)
        },
        Step("a member of an order is deleted") { context in
            let chapters = try context.book("Dune").orderedObjects("chapters")
            try context.delete(try #require(try chapters.member(at: 1)))
        },
        Step("an object is deleted with what it cascades to") { context in
            try context.delete(try context.author("Herbert"))
        },
        Step("a member of a many-to-many is deleted") { context in
            try context.delete(try context.genre("Desert"))
        },
        Step("an object is changed and deleted at once") { context in
            let book = try context.book("Dune")
            try book.setValue(1, forKey: "pages")
            try book.objects("genres").removeAll()
            try context.delete(book)
        },
    ]

    static let cases = everyEngine.flatMap { engine in steps.map { (engine, $0) } }

    @Test(arguments: cases)
    func `reverts each change, and redo repeats it`(_ engine: StoreType, _ step: Step) throws {
        let stack = try GraphStack(engine)
        try stack.fillLibrary()
        try stack.withUndo { context, _ in
            let before = try GraphPicture(context)
            try step.run(context)
            let after = try GraphPicture(context)

            context.undo()
            try before.require(GraphPicture(context), "undone")
            let isClean = !context.hasChanges
            context.redo()
            try after.require(GraphPicture(context), "redone")

            #expect(before != after)
            #expect(isClean)
        }
    }

    @Test(arguments: cases)
    func `reverts each saved change, and redo repeats it`(_ engine: StoreType, _ step: Step) throws
    {
        let stack = try GraphStack(engine)
        try stack.fillLibrary()
        let before = try stack.coordinator.picture()
        try stack.withUndo { context, coordinator in
            try step.run(context)
            try context.save()
            let after = try GraphPicture(context)

            context.undo()
            try context.save()
            try before.require(GraphPicture(context), "undone")
            try before.require(coordinator.picture(), "undone, and stored")
            context.redo()
            try context.save()
            try after.require(GraphPicture(context), "redone")
            try after.require(coordinator.picture(), "redone, and stored")
        }
    }

    @Test(arguments: everyEngine)
    func `restores a deleted object with its ID, for other contexts too`(_ engine: StoreType) throws
    {
        let stack = try GraphStack(engine)
        try stack.fillLibrary()
        try stack.withUndo { context, coordinator in
            let book = try context.book("Dune")
            let id = book.objectID
            try context.delete(book)
            try context.save()

            context.undo()
            try context.save()
            let title = try ContextHandle(coordinator: coordinator).performAndWait {
                try $0.existingObject(with: id)["title"]
            }

            #expect(book.objectID == id)
            #expect(try context.existingObject(with: id) === book)
            #expect(title == "Dune")
        }
    }

    @Test(arguments: everyEngine)
    func `restores bytes that are stored outside the row`(_ engine: StoreType) throws {
        let bytes = Data(repeating: 7, count: 300 * 1024)
        let stack = try GraphStack(engine)
        try stack.fillLibrary()
        try stack.withUndo { context, coordinator in
            let book = try context.book("Dune")
            try book.setValue(bytes, forKey: "scan")
            try context.save()
            try context.delete(book)
            try context.save()

            context.undo()
            try context.save()
            let stored = try ContextHandle(coordinator: coordinator).performAndWait {
                try $0.book("Dune")["scan"]
            }

            #expect(stored == .binary(bytes))
        }
    }

    @Test(arguments: everyEngine)
    func `assigns no key twice after a deletion was undone`(_ engine: StoreType) throws {
        let stack = try GraphStack(engine)
        try stack.fillLibrary()
        try stack.withUndo { context, coordinator in
            let newest = try context.insert("Genre", ["name": "Newest"])
            try context.save()
            try context.delete(newest)
            try context.save()
            let other = try context.insert("Genre", ["name": "Other"])
            context.undoManager?.endEvent()
            try context.save()

            context.undo()
            context.undo()
            try context.save()
            let names = try ContextHandle(coordinator: coordinator).performAndWait {
                try $0.fetch(FetchRequest<ManagedObject>("Genre")).map {
                    try $0.value(forKey: "name") as? String ?? ""
                }
            }

            #expect(other.objectID.key != newest.objectID.key)
            #expect(Set(names) == ["Desert", "Sea", "Newest"])
        }
    }
}

extension GraphStack {
    /// Stores two authors with a book each, genres, chapters and a portrait.
    fileprivate func fillLibrary() throws {
        try inContext { context in
            let (sea, desert) = (
                try context.insert("Genre", ["name": "Sea"]),
                try context.insert("Genre", ["name": "Desert"])
            )
            for (name, title, genre) in [("Herbert", "Dune", desert), ("Lem", "Solaris", sea)] {
                let author = try context.insert("Author", ["name": name])
                let book = try context.insert(
                    "Book", ["title": title, "pages": 100, "words": 1000, "rating": 4.5])
                try book.setValue(author, forKey: "author")
                try book.objects("genres").insert(genre)
                for number in 1...4 {
                    let chapter = try context.insert("Chapter", ["title": "\(title) \(number)"])
                    try book.orderedObjects("chapters").append(chapter)
                }
            }
            let portrait = try context.insert("Portrait")
            try context.author("Herbert").setValue(portrait, forKey: "portrait")
            try context.save()
        }
    }
}

extension ManagedObjectContext {
    fileprivate func book(_ title: String) throws -> ManagedObject {
        try only("Book", where: "title == '\(title)'")
    }

    fileprivate func author(_ name: String) throws -> ManagedObject {
        try only("Author", where: "name == '\(name)'")
    }

    fileprivate func genre(_ name: String) throws -> ManagedObject {
        try only("Genre", where: "name == '\(name)'")
    }
}

import Cairn
import Foundation
import GraphSupport
import Observation
import Synchronization
import Testing

/// A class as an application would write it.
private final class Person: ManagedObject {
    @Managed var name: String?
    @Managed var age: Int16
    @Managed var mentor: Person?
    var motto: String? {
        get {
            willAccessValue(forKey: "name")
            return primitiveValue(forKey: "name") as? String
        }
        set {
            willChangeValue(forKey: "name")
            try? setPrimitiveValue(newValue, forKey: "name")
            didChangeValue(forKey: "name")
        }
    }
}

/// Code that reads properties inside `withObservationTracking` is notified when they change.
@Suite struct Observers {
    /// Runs the body in a context whose objects are observed and whose events can be undone.
    private func inObservingContext(
        _ type: StoreType,
        _ body: @Sendable (ManagedObjectContext, StudioStack) throws -> Void
    ) throws {
        let stack = try StudioStack(type)
        try stack.inContext(classes: ObjectClasses([Person.self])) { context in
            context.observesObjects = true
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            try body(context, stack)
        }
    }

    private func person(_ name: String, in context: ManagedObjectContext) throws -> Person {
        let person = try context.insert(Person.self)
        person.name = name
        person.age = 30
        return person
    }

    // MARK: Values

    @Test(arguments: everyEngine)
    func `are notified of a property however it is read and set`(_ type: StoreType) throws {
        try inObservingContext(type) { context, _ in
            let ada = try person("Ada", in: context)
            try context.save()
            let reads: [(String, () throws -> Void)] = [
                ("accessor", { _ = ada.name }),
                ("custom accessor", { _ = ada.motto }),
                ("name", { _ = try ada.value(forKey: "name") }),
                ("subscript", { _ = try ada["name"] }),
                ("key path", { _ = try ada.value(forKeyPath: "name") }),
            ]
            let writes: [(String, () throws -> Void)] = [
                ("accessor", { ada.name = "A" }),
                ("custom accessor", { ada.motto = "B" }),
                ("name", { try ada.setValue("C", forKey: "name") }),
                ("key path", { try ada.setValue("D", forKeyPath: "name") }),
            ]

            for (reader, read) in reads {
                for (writer, write) in writes {
                    let watch = try Watch(read)
                    try write()
                    #expect(watch.isTold, "read by \(reader), set by \(writer)")
                }
            }
        }
    }

    @Test(arguments: everyEngine)
    func `are not notified of other properties, other objects, or equal values`(
        _ type: StoreType
    ) throws {
        try inObservingContext(type) { context, _ in
            let ada = try person("Ada", in: context)
            let bob = try person("Bob", in: context)
            try context.save()
            let watch = try Watch { _ = ada.name }

            ada.age = 40
            bob.name = "Rob"
            ada.name = "Ada"
            try context.save()
            let first = watch.isTold
            ada.name = "Countess"

            #expect(!first)
            #expect(watch.isTold)
        }
    }

    @Test func `are notified once, before the value changes`() throws {
        try inObservingContext(.inMemory) { context, _ in
            let ada = try person("Ada", in: context)
            let seen = Mutex<[String?]>([])
            nonisolated(unsafe) let object = ada  // The closure runs in this turn.
            withObservationTracking {
                _ = ada.name
            } onChange: {
                seen.withLock { $0.append(object.name) }
            }

            ada.name = "Bea"
            ada.name = "Cea"

            #expect(seen.withLock { $0 } == ["Ada"])
        }
    }

    // MARK: Relationships

    @Test(arguments: everyEngine)
    func `are notified of both ends of a relationship`(_ type: StoreType) throws {
        try inObservingContext(type) { context, _ in
            let ada = try person("Ada", in: context)
            let bob = try person("Bob", in: context)
            let book = try context.insert("Book", ["title": "Notes"])
            try context.save()
            let books = try Watch { _ = try ada.objects("books").count }
            let ids = try Watch { _ = try ada.objectIDs(forRelationshipNamed: "books") }
            let author = try Watch { _ = try book.value(forKey: "author") }
            try book.setValue(ada, forKey: "author")
            let set = [books.isTold, ids.isTold, author.isTold]

            let lost = try Watch { for _ in try ada.objects("books") {} }
            let won = try Watch { _ = try bob.objects("books").contains(book) }
            let moved = try Watch { _ = try book["author"] }
            try bob.objects("books").insert(book)

            let pupils = try Watch { _ = try ada.value(forKeyPath: "pupils.@count") }
            let mentor = try Watch { _ = bob.mentor }
            try ada.objects("pupils").insert(bob)

            #expect(set == [true, true, true])
            #expect([lost.isTold, won.isTold, moved.isTold] == [true, true, true])
            #expect(pupils.isTold)
            #expect(mentor.isTold)
        }
    }

    @Test(arguments: everyEngine)
    func `are notified when an order changes`(_ type: StoreType) throws {
        try inObservingContext(type) { context, _ in
            let book = try context.insert("Book", ["title": "Notes"])
            let chapters = try book.orderedObjects("chapters")
            let (one, two) = (try context.insert("Chapter"), try context.insert("Chapter"))
            try chapters.append(one)
            try chapters.append(two)
            try context.save()
            let first = try Watch { _ = try chapters.member(at: 0) }
            let position = try Watch { _ = try chapters.index(of: two) }

            try chapters.move(two, to: 0)

            #expect(first.isTold)
            #expect(position.isTold)
        }
    }

    // MARK: Changes of many values at once

    @Test(arguments: everyEngine)
    func `are notified of changes by undo and redo`(_ type: StoreType) throws {
        try inObservingContext(type) { context, _ in
            let ada = try person("Ada", in: context)
            let book = try context.insert("Book", ["title": "Notes"])
            try context.save()
            context.undoManager?.removeAllActions()
            try book.setValue(ada, forKey: "author")
            context.processPendingChanges()

            let books = try Watch { _ = try ada.objects("books").count }
            let title = try Watch { _ = try book["title"] }
            context.undo()
            let undone = books.isTold
            let again = try Watch { _ = try ada.objects("books").count }
            context.redo()

            #expect(undone)
            #expect(again.isTold)
            #expect(!title.isTold)
        }
    }

    @Test(arguments: everyEngine)
    func `are notified of changes that a rollback reverts`(_ type: StoreType) throws {
        try inObservingContext(type) { context, _ in
            let ada = try person("Ada", in: context)
            let book = try context.insert("Book", ["title": "Notes"])
            try context.save()
            ada.name = "Bea"
            try ada.objects("books").insert(book)
            let name = try Watch { _ = ada.name }
            let age = try Watch { _ = ada.age }
            let books = try Watch { _ = try ada.objects("books").count }
            let author = try Watch { _ = try book["author"] }

            context.rollback()

            #expect([name.isTold, books.isTold, author.isTold] == [true, true, true])
            #expect(!age.isTold)
        }
    }

    @Test(arguments: everyEngine)
    func `are notified of changes by others when they are merged`(_ type: StoreType) throws {
        try inObservingContext(type) { context, stack in
            let ada = try person("Ada", in: context)
            try context.save()
            let id = ada.objectID
            var changes = ObjectIDChanges()
            changes.updated = [id]
            try stack.inContext { other in
                try other.existingObject(with: id).setValue(31, forKey: "age")
                try other.save()
            }
            let (name, age) = (try Watch { _ = ada.name }, try Watch { _ = ada.age })

            try context.mergeChanges(changes)

            #expect(age.isTold)
            #expect(!name.isTold)
            #expect(ada.age == 31)
        }
    }

    @Test(arguments: everyEngine)
    func `are notified when a refresh turns an object into a fault`(_ type: StoreType) throws {
        try inObservingContext(type) { context, _ in
            let ada = try person("Ada", in: context)
            try context.save()
            let one = try Watch { _ = ada.name }
            try context.refresh(ada, mergeChanges: false)
            let all = try Watch { _ = ada.name }
            try context.refreshAllObjects()
            let fired = try Watch { _ = try ada.objects("books").count }
            _ = ada.name

            #expect(one.isTold)
            #expect(all.isTold)
            #expect(!fired.isTold)
        }
    }

    @Test(arguments: everyEngine)
    func `are notified of a deletion, and of its undo after a save`(_ type: StoreType) throws {
        try inObservingContext(type) { context, _ in
            let ada = try person("Ada", in: context)
            try context.save()
            context.undoManager?.removeAllActions()
            let marked = try Watch { _ = ada.name }
            try context.delete(ada)
            context.processPendingChanges()
            let gone = try Watch { _ = ada.name }
            try context.save()
            let back = try Watch { _ = ada.name }
            let nameBetween = ada.name
            context.undo()

            #expect(marked.isTold)
            #expect(gone.isTold)
            #expect(nameBetween == nil)
            #expect(back.isTold)
            #expect(ada.name == "Ada")
        }
    }

    @Test(arguments: everyEngine)
    func `are notified by a reset`(_ type: StoreType) throws {
        try inObservingContext(type) { context, _ in
            let ada = try person("Ada", in: context)
            try context.save()
            let name = try Watch { _ = ada.name }

            context.reset()

            #expect(name.isTold)
        }
    }

    @Test(arguments: everyEngine)
    func `are notified of a value that a save derives`(_ type: StoreType) throws {
        var derived = AttributeDescription("search", .string)
        derived.derivation = Derivation(expression: "canonical:(title)")
        let stack = try StudioStack(
            type,
            [EntityDescription("Album", [.attribute("title", .string), .attribute(derived)])])
        try stack.inContext { context in
            context.observesObjects = true
            let album = try context.insert("Album", ["title": "Café"])
            try context.save()
            try album.setValue("ÉTÉ", forKey: "title")
            let search = try Watch { _ = try album["search"] }
            let title = try Watch { _ = try album["title"] }

            try context.save()

            #expect(search.isTold)
            #expect(!title.isTold)
        }
    }

    @Test(arguments: everyEngine)
    func `of a parent are notified when a child saves`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        let parent = ContextHandle(coordinator: stack.coordinator)
        try parent.performAndWait { context in
            context.observesObjects = true
            let ada = try context.insert("Person", ["name": "Ada"])
            try context.save()
            let id = ada.objectID
            let name = try Watch { _ = try ada["name"] }
            let books = try Watch { _ = try ada.objects("books").count }

            try ContextHandle(parent: parent).performAndWait { child in
                let twin = try child.existingObject(with: id)
                try twin.setValue("Bea", forKey: "name")
                try child.insert("Book", ["title": "Notes"]).setValue(twin, forKey: "author")
                try child.save()
            }

            #expect(name.isTold)
            #expect(books.isTold)
        }
    }

    @Test func `of a context without observation are not notified`() throws {
        let stack = try StudioStack(.inMemory)
        try stack.inContext(classes: ObjectClasses([Person.self])) { context in
            let ada = try person("Ada", in: context)
            try context.save()
            let off = try Watch { _ = ada.name }
            ada.name = "Bea"
            context.observesObjects = true
            let on = try Watch { _ = ada.name }
            ada.name = "Cea"
            let last = try Watch { _ = ada.name }
            context.observesObjects = false
            ada.name = "Dea"

            #expect(!off.isTold)
            #expect(on.isTold)
            #expect(!last.isTold)
        }
    }
}

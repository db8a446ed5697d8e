import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Undo` {
    @Test(arguments: chosenEngines)
    func `is not available in other contexts`(_ type: StoreType) throws {
        try inLibrary(type) { context in #expect(context.undoManager == nil) }
    }

    @Test(arguments: chosenEngines)
    func `of a changed value restores the old value, and redo the new one`(
        _ type: StoreType
    ) throws {
        try inUndoLibrary(type) { context throws in
            let author = try context.insert("Author", ["born": 1])
            try context.save()
            try author.setValue(2, forKey: "born")
            context.processPendingChanges()
            context.undo()
            let undone = try author["born"]
            context.redo()

            #expect(undone == 1)
            #expect(try author["born"] == 2)
        }
    }

    @Test(arguments: chosenEngines)
    func `leaves no changes if there were none before`(_ type: StoreType) throws {
        try inUndoLibrary(type) { context throws in
            let author = try context.insert("Author", ["born": 1])
            try context.save()
            try author.setValue(2, forKey: "born")
            context.processPendingChanges()
            context.undo()

            #expect(!context.hasChanges)
            #expect(!author.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `of a deletion restores the object and the objects it cascaded to`(_ type: StoreType)
        throws
    {
        try inUndoLibrary(type) { context throws in
            let author = try context.insert("Author", ["name": "A"])
            let book = try context.insert("Book", ["title": "b", "author": author])
            try context.save()
            try context.delete(author)
            context.processPendingChanges()
            let deleted = context.deletedObjects
            context.undo()

            #expect(deleted == [author, book])
            #expect(context.deletedObjects.isEmpty)
            #expect(try author.names("books", "title") == ["b"])
        }
    }

    @Test(arguments: chosenEngines)
    func `of an insertion that was saved is a deletion`(_ type: StoreType) throws {
        try inUndoLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            context.undo()
            #expect(tag.isDeleted)
            try context.save()

            #expect(try context.count(for: FetchRequest<ManagedObject>("Tag")) == 0)
        }
    }

    @Test(arguments: chosenEngines)
    func `of a moved member of an order puts it back`(_ type: StoreType) throws {
        try inUndoLibrary(type) { context throws in
            let book = try context.insert("Book")
            for title in ["1", "2", "3"] {
                try book.orderedObjects("chapters").append(
                    try context.insert("Chapter", ["title": title]))
            }
            context.processPendingChanges()
            try book.orderedObjects("chapters").moveMembers(at: [2], to: 0)
            context.processPendingChanges()
            let moved = try book.names("chapters", "title")
            context.undo()

            #expect(moved == ["3", "1", "2"])
            #expect(try book.names("chapters", "title") == ["1", "2", "3"])
        }
    }

    @Test(arguments: chosenEngines)
    func `has nothing to undo after a rollback or a reset`(_ type: StoreType) throws {
        try inUndoLibrary(type) { context throws in
            for forget in [{ $0.rollback() }, { $0.reset() }] as [(ManagedObjectContext) -> Void] {
                _ = try context.insert("Tag")
                context.processPendingChanges()
                forget(context)

                #expect(context.undoManager?.canUndo == false)
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `records nothing while registration is disabled`(_ type: StoreType) throws {
        try inUndoLibrary(type) { context throws in
            context.undoManager?.disableUndoRegistration()
            _ = try context.insert("Tag")
            context.processPendingChanges()
            context.undoManager?.enableUndoRegistration()

            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test(arguments: chosenEngines)
    func `of an event that deletes a new object with a cascade is redone`(_ type: StoreType) throws
    {
        let family = try Family(type)
        try family.parent.performAndWait { _ = try $0.insert("Book", ["title": "b"]) }
        try family.child.performAndWait { context throws in
            context.undoManager = UndoManager()
            context.faultFailureHandler = { error, _ in Issue.record("\(error)") }
            let books = try context.fetch(FetchRequest<ManagedObject>("Book"))
            // The author's deletion deletes the book, which goes on leading to the author.
            let author = try context.insert("Author", ["name": "A"])
            try books[0].setValue(author, forKey: "author")
            try context.delete(author)
            context.processPendingChanges()
            context.undo()
            let undone = (books[0].isDeleted, try books[0].value(forKey: "author") == nil)
            context.redo()

            #expect(undone == (false, true))
            #expect(books[0].isDeleted)
            #expect(!context.registeredObjects.contains { $0.entity.name == "Author" })
        }
    }

    /// Runs the body in a context whose events can each be undone.
    private func inUndoLibrary(
        _ type: StoreType, _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try inLibrary(type) { context throws in
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            try body(context)
        }
    }
}

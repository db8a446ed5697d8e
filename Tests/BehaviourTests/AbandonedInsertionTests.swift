import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `An object that is inserted and deleted before a save` {
    @Test(arguments: chosenEngines)
    func `leaves no changes in the context`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "gone"])
            try context.delete(tag)

            #expect(!context.hasChanges)
            #expect(context.insertedObjects.isEmpty)
            #expect(context.deletedObjects.isEmpty)
            #expect(context.updatedObjects.isEmpty)
        }
    }

    @Test(arguments: chosenEngines)
    func `leaves no changes if events ended in between`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "gone"])
            context.processPendingChanges()
            try context.delete(tag)
            context.processPendingChanges()

            #expect(!context.hasChanges)
            #expect(context.registeredObjects.isEmpty)
            #expect(tag.managedObjectContext == nil)
        }
    }

    @Test(arguments: chosenEngines)
    func `gets no hook calls from a save`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let kept = try context.insertHooked("Tag", ["name": "kept"])
            let gone = try context.insertHooked("Tag", ["name": "gone"])
            try context.delete(gone)
            try context.save()

            #expect(gone.calls == ["awakeFromInsert", "prepareForDeletion"])
            #expect(kept.callCount("prepareForSave") == 1)
            #expect(try context.count(for: FetchRequest<ManagedObject>("Tag")) == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `gets no hook calls if a hook of the save deletes it`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let kept = try context.insertHooked("Tag", ["name": "kept"])
            let gone = try context.insertHooked("Tag", ["name": "gone"])
            kept.onPreparation = { kept in
                if !gone.isDeleted { try! kept.managedObjectContext?.delete(gone) }
            }
            try context.save()

            #expect(gone.callCount("didSave") == 0)
            #expect(gone.callCount("checkObject insertion") == 0)
            #expect(!context.hasChanges)
            #expect(try context.count(for: FetchRequest<ManagedObject>("Tag")) == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `leaves no links behind`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            try context.save()
            let book = try context.insert("Book", ["author": author])
            try context.delete(book)
            try context.save()

            #expect(try author.objects("books").isEmpty)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `deletes what it cascades to`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author")
            let book = try context.insert("Book", ["author": author])
            try context.delete(author)
            context.processPendingChanges()

            #expect(book.isDeleted)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `is restored by undo, with its values and links`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            let author = try context.insert("Author", ["name": "A"])
            let book = try context.insert("Book", ["title": "b", "author": author])
            context.processPendingChanges()
            try context.delete(book)
            context.processPendingChanges()
            let without = try author.names("books", "title")
            context.undo()

            #expect(without == [])
            #expect(try author.names("books", "title") == ["b"])
            #expect(try book["title"] == "b")
            #expect(book.managedObjectContext === context)
            #expect(context.insertedObjects == [author, book])
            context.redo()
            #expect(try author.names("books", "title") == [])
            context.undo()
            try context.save()
            #expect(try context.count(for: FetchRequest<ManagedObject>("Book")) == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `is reported as deleted to observers that were notified of its insertion`(
        _ type: StoreType
    ) throws {
        let stack = try Library.stack(type)
        let handle = ContextHandle(coordinator: stack.coordinator)
        try handle.performAndWait { context throws in
            var request = FetchRequest<ManagedObject>("Tag")
            request.sortDescriptors = [FetchSortDescriptor("name")]
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            let log = ResultsLog()
            controller.delegate = log
            try controller.performFetch()
            let tag = try context.insert("Tag", ["name": "gone"])
            context.processPendingChanges()
            try context.delete(tag)
            context.processPendingChanges()

            #expect(log.rounds == [["+ gone 0.0"], ["- gone 0.0"]])
        }
    }

    @Test(arguments: chosenEngines)
    func `is handled by the save if delete rules are`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            context.propagatesDeletesAtEndOfEvent = false
            let author = try context.insert("Author")
            try context.save()
            let book = try context.insert("Book", ["author": author])
            context.processPendingChanges()
            try context.delete(book)
            context.processPendingChanges()
            try context.save()

            #expect(try author.objects("books").isEmpty)
            #expect(!context.hasChanges)
        }
    }
}

import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `The changes of an object` {
    @Test(arguments: chosenEngines)
    func `are empty after it was fetched`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            _ = try author["name"]

            #expect(!author.hasChanges)
            #expect(author.changedValues().isEmpty)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `are the values that differ from the stored ones`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            try author.setValue("B", forKey: "name")
            try author.setValue(3, forKey: "born")

            #expect(author.changedValues() == ["name": "B", "born": 3])
            #expect(author.isUpdated)
            #expect(context.updatedObjects == [author])
        }
    }

    @Test(arguments: chosenEngines)
    func `are empty if a value is set to an equal value`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            try author.setValue("A", forKey: "name")

            #expect(!author.hasChanges)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: chosenEngines)
    func `are empty if a value is set back`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, _ throws in
            try author.setValue("B", forKey: "name")
            try author.setValue("A", forKey: "name")

            #expect(author.changedValues().isEmpty)
            #expect(!author.hasPersistentChangedValues)
        }
    }

    @Test(arguments: chosenEngines)
    func `leave the committed values unchanged`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, _ throws in
            try author.setValue("B", forKey: "name")

            #expect(author.committedValues(forKeys: ["name"]) == ["name": "A"])
            #expect(author.committedValues(forKeys: nil)["born"] == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `are committed by a save`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            try author.setValue("B", forKey: "name")
            try context.save()

            #expect(author.committedValues(forKeys: ["name"]) == ["name": "B"])
            #expect(author.changedValues().isEmpty)
        }
    }

    @Test(arguments: chosenEngines)
    func `of the current event are discarded when it ends`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            try author.setValue("B", forKey: "name")
            let during = author.changedValuesForCurrentEvent()
            context.processPendingChanges()

            #expect(during == ["name": "B"])
            #expect(author.changedValuesForCurrentEvent().isEmpty)
            #expect(author.changedValues() == ["name": "B"])
        }
    }

    @Test(arguments: chosenEngines)
    func `of a new object are all values that are not nil`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author", ["born": 5])

            #expect(author.changedValues() == ["name": "nobody", "born": 5])
            #expect(author.committedValues(forKeys: nil).isEmpty)
        }
    }

    @Test(arguments: chosenEngines)
    func `are reverted by a rollback`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            try author.setValue("B", forKey: "name")
            let new = try context.insert("Tag")
            context.rollback()

            #expect(try author["name"] == "A")
            #expect(!context.hasChanges)
            #expect(new.managedObjectContext == nil)
        }
    }

    @Test(arguments: chosenEngines)
    func `include its deletion, which a rollback reverts`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            try context.delete(author)
            context.rollback()

            #expect(!author.isDeleted)
            #expect(try author["name"] == "A")
            #expect(try context.count(for: FetchRequest<ManagedObject>("Author")) == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `of a relationship belong to both ends`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            let book = try context.insert("Book")
            try context.save()
            try book.setValue(author, forKey: "author")

            #expect(context.updatedObjects == [author, book])
            #expect(author.changedToManyRelationships() == ["books"])
            #expect(author.changedValues().isEmpty && author.changedValuesForCurrentEvent().isEmpty)
            #expect(author.committedValues(forKeys: ["books"]).isEmpty)
            #expect(book.changedValues() == ["author": .objectID(author.objectID)])
        }
    }

    @Test(arguments: chosenEngines)
    func `of a transient value are not stored by a save`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            try author.setValue("calm", forKey: "mood")

            #expect(author.hasChanges)
            #expect(!author.hasPersistentChangedValues)
            try context.save()
            #expect(try author["mood"] == "calm")
            #expect(author.rowVersion == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `raise the version once for each save`(_ type: StoreType) throws {
        try inSavedLibrary(type) { author, context throws in
            let first = author.rowVersion
            try author.setValue("B", forKey: "name")
            try author.setValue("C", forKey: "name")
            try context.save()
            try context.save()

            #expect(first == 1)
            #expect(author.rowVersion == 2)
        }
    }

    @Test(arguments: chosenEngines)
    func `make the context hold the object`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        try stack.fill { _ = try $0.insert("Author", ["name": "A"]) }
        try stack.inContext { context throws in
            try context.only("Author").setValue("B", forKey: "name")

            #expect(context.updatedObjects.count == 1)
            try context.save()
            #expect(try context.only("Author")["name"] == "B")
        }
    }

    @Test(arguments: chosenEngines)
    func `are empty after a save that wrote nothing`(_ type: StoreType) throws {
        try inSavedLibrary(type) { _, context throws in
            let inbox = NotificationInbox(
                ManagedObjectContext.didSaveObjectsNotification, of: context)
            try context.save()

            #expect(inbox.count == 0)
        }
    }

    /// Calls the body with the stored author “A”, born in 1, in a library of one context.
    private func inSavedLibrary(
        _ type: StoreType, _ body: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void
    ) throws {
        try inLibrary(type) { context throws in
            let author = try context.insert("Author", ["name": "A", "born": 1])
            try context.save()
            try body(author, context)
        }
    }
}

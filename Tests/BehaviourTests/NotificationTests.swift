import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Notifications that a context posts` {
    @Test(arguments: chosenEngines)
    func `of an event have the objects that it inserted, updated and deleted`(
        _ type: StoreType
    ) throws {
        try inLibrary(type) { context throws in
            let (changed, deleted) = (try context.insert("Tag"), try context.insert("Tag"))
            for tag in [changed, deleted] { try tag.setValue("tag", forKey: "name") }
            try context.save()
            let inbox = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: context)
            let inserted = try context.insert("Tag", ["name": "new"])
            try changed.setValue("other", forKey: "name")
            try context.delete(deleted)
            context.processPendingChanges()

            #expect(inbox.count == 1)
            #expect(inbox.objects(.insertedObjects) == [inserted])
            #expect(inbox.objects(.updatedObjects) == [changed])
            #expect(inbox.objects(.deletedObjects) == [deleted])
        }
    }

    @Test(arguments: chosenEngines)
    func `of an event are not posted if nothing changed`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let inbox = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: context)
            context.processPendingChanges()
            let tag = try context.insert("Tag")
            try context.delete(tag)
            context.processPendingChanges()

            #expect(inbox.count == 0)
        }
    }

    @Test(arguments: chosenEngines)
    func `of a save have objects, and IDs that are permanent`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let objects = NotificationInbox(
                ManagedObjectContext.didSaveObjectsNotification, of: context)
            let ids = NotificationInbox(
                ManagedObjectContext.didSaveObjectIDsNotification, of: context)
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()

            #expect(objects.objects(.insertedObjects) == [tag])
            #expect(ids.ids(.insertedObjectIDs) == [tag.objectID])
            #expect(!tag.objectID.isTemporary)
            #expect(objects.has(.updatedObjects) && objects.has(.deletedObjects))
        }
    }

    @Test(arguments: chosenEngines)
    func `of a deletion that is saved have the object`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            let id = tag.objectID
            let objects = NotificationInbox(
                ManagedObjectContext.didSaveObjectsNotification, of: context)
            let ids = NotificationInbox(
                ManagedObjectContext.didSaveObjectIDsNotification, of: context)
            try context.delete(tag)
            try context.save()

            #expect(objects.objects(.deletedObjects) == [tag])
            #expect(ids.ids(.deletedObjectIDs) == [id])
        }
    }

    @Test(arguments: chosenEngines)
    func `before a save come before its hooks`(_ type: StoreType) throws {
        try inHookedLibrary(type) { context throws in
            let tag = try context.insertHooked("Tag", ["name": "tag"])
            let inbox = NotificationInbox(
                ManagedObjectContext.willSaveObjectsNotification, of: context)
            nonisolated(unsafe) var countBefore: Int?
            nonisolated(unsafe) let box = inbox
            tag.onPreparation = { _ in countBefore = box.count }
            try context.save()

            #expect(countBefore == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `are not posted for a save that fails`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            _ = try context.insert("Tag", ["name": "x"])
            let inbox = NotificationInbox(
                ManagedObjectContext.didSaveObjectsNotification, of: context)

            #expect(throws: GraphError.self) { try context.save() }
            #expect(inbox.count == 0)
        }
    }

    @Test(arguments: chosenEngines)
    func `of a reset say that all objects are invalid`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            _ = try context.insert("Tag")
            let inbox = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: context)
            context.reset()

            #expect(inbox.has(.invalidatedAllObjects))
        }
    }

    @Test(arguments: chosenEngines)
    func `of a refresh have the refreshed objects`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            let inbox = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: context)
            try context.refresh(tag, mergeChanges: false)
            context.processPendingChanges()

            #expect(inbox.objects(.refreshedObjects) == [tag])
        }
    }

    @Test(arguments: chosenEngines)
    func `of an undo have the objects that it changed`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            context.undoManager = UndoManager()
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            try tag.setValue("other", forKey: "name")
            context.processPendingChanges()
            context.undoManager?.endEvent()
            let inbox = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: context)
            context.undo()

            #expect(
                inbox.objects(.updatedObjects) == [tag] || inbox.objects(.deletedObjects) == [tag])
        }
    }

    @Test(arguments: chosenEngines)
    func `of a child's save have the objects that its parent has now`(_ type: StoreType) throws {
        let family = try Family(type)
        try family.parent.performAndWait { parent throws in
            let inbox = NotificationInbox(
                ManagedObjectContext.didChangeObjectsNotification, of: parent)
            try family.child.performAndWait { child throws in
                _ = try child.insert("Tag", ["name": "tag"])
                try child.save()
            }
            parent.processPendingChanges()

            #expect(inbox.objects(.insertedObjects).map(\.entity.name) == ["Tag"])
        }
    }
}

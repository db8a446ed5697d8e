import Cairn
import Foundation
import GraphSupport
import Testing

/// Cases in which the save fails, is undone, goes through a parent, or runs in the background.
extension `An upserted object` {
    private struct Refusing: MergePolicy {
        struct Refusal: Error {}

        func resolve(_ conflicts: [MergeConflict], with resolver: ConflictResolver) throws {}

        func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws {
            for conflict in conflicts { try resolver.mergeIntoStored(conflict) }
            throw Refusal()
        }
    }

    @Test(arguments: chosenEngines)
    func `is still new if the save fails after all`(_ type: StoreType) throws {
        let (stack, id) = try BoxOffice.filled(type)
        try stack.inContext(classes: BoxOffice.classes) { context throws in
            context.mergePolicy = Refusing()
            let show = try context.insert("Show", ["title": "new"])
            let new = try context.insert("Ticket", ["code": "1", "price": 9, "show": show])
            let stubs = try ["a", "b"].map {
                try context.insert("Stub", ["name": $0, "ticket": new])
            }
            let former = new.objectID
            #expect(throws: GraphError.self) { try context.save() }

            #expect(new.isInserted && new.objectID == former)
            #expect(context.registeredObject(for: id) == nil)
            #expect(context.registeredObject(for: former) === new)
            #expect(try Self.values(new) == [0, 9])
            #expect(try new.names("stubs", "name") == ["a", "b"])
            #expect(try show.names("tickets", "code") == ["1"])
            for stub in stubs {
                #expect(try stub.value(forKey: "ticket") as? ManagedObject === new)
            }

            context.mergePolicy = StandardMergePolicy(.mergeByPropertyObjectTrump)
            try context.save()
            #expect(new.objectID == id)
            #expect(try Self.values(new) == [5, 9])
        }
    }

    @Test(arguments: chosenEngines)
    func `is not deleted by the undo of its insertion`(_ type: StoreType) throws {
        let (stack, id) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            context.undoManager = UndoManager()
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            let other = try context.insert("Ticket", ["code": "2"])
            try context.save()
            context.undo()
            let deleted = context.deletedObjects
            try context.save()

            #expect(deleted == [other])
            #expect(try context.only("Ticket") === new)
            #expect(new.objectID == id)
        }
    }

    @Test(arguments: chosenEngines, [true, false])
    func `keeps both ends of relationships consistent when its insertion is undone`(
        _ type: StoreType, _ isHeld: Bool
    ) throws {
        let (stack, id) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let held = isHeld ? try context.existingObject(with: id) : nil
            let show = try context.insert("Show", ["title": "new"])
            let tag = try context.only("Tag")
            try context.save()
            context.undoManager = UndoManager()
            let new = try context.insert("Ticket", ["code": "1", "show": show])
            try new.setValue([tag], forKey: "tags")
            try context.save()
            context.undo()

            let ticket = held ?? new
            let isLed = try ticket.value(forKey: "show") as? ManagedObject === show
            #expect(try show.names("tickets", "code") == (isLed ? ["1"] : []))
            let isTagged = try ticket.names("tags", "name") == ["stored"]
            #expect(try tag.names("tickets", "code") == (isTagged ? ["1"] : []))
            #expect(!ticket.isDeleted)
        }
    }

    @Test(arguments: chosenEngines)
    func `takes part in undo and redo after it was stored`(_ type: StoreType) throws {
        let (stack, _) = try BoxOffice.filled(type)
        try BoxOffice.inContext(of: stack) { context throws in
            let undoManager = UndoManager()
            undoManager.groupsByEvent = false
            context.undoManager = undoManager
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            try context.save()
            try new.setValue(8, forKey: "seat")
            context.processPendingChanges()
            try context.delete(new)
            context.processPendingChanges()
            context.undo()
            let afterDeletion = (new.isDeleted, try Self.values(new))
            context.undo()
            let afterChange = try Self.values(new)
            context.redo()
            context.redo()

            #expect(afterDeletion == (false, [8, 9]))
            #expect(afterChange == [5, 9])
            #expect(new.isDeleted)
        }
    }

    @Test(arguments: chosenEngines, [true, false])
    func `that a child saved to its parent is the stored one in the child, too`(
        _ type: StoreType, _ isHeld: Bool
    ) throws {
        let (stack, id) = try BoxOffice.filled(type)
        let parent = ContextHandle(coordinator: stack.coordinator, classes: BoxOffice.classes)
        let child = ContextHandle(parent: parent)
        try child.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            if isHeld { _ = try context.existingObject(with: id)["seat"] }
            let new = try context.insert("Ticket", ["code": "1", "price": 9])
            _ = try context.insert("Stub", ["name": "a", "ticket": new])
            try context.save()
        }
        try parent.performAndWait { context throws in
            context.mergePolicy = StandardMergePolicy(.mergeByPropertyObjectTrump)
            try context.save()
        }
        try child.performAndWait { context throws in
            let ticket = try context.only("Ticket")
            #expect(ticket.objectID == id)
            #expect(try Self.values(ticket) == [5, 9])
            #expect(context.registeredObjects.filter { $0.entity.name == "Ticket" } == [ticket])
            #expect(
                try context.only("Stub").value(forKey: "ticket") as? ManagedObject === ticket)
            try ticket.setValue(6, forKey: "seat")
            try context.save()
        }
        try parent.performAndWait { try $0.save() }
        try stack.inContext(classes: BoxOffice.classes) { context throws in
            let ticket = try context.only("Ticket")
            #expect(try Self.values(ticket) == [6, 9])
        }
    }

    @Test(arguments: chosenEngines) @MainActor
    func `is the stored one after a background save`(_ type: StoreType) async throws {
        let (stack, id) = try BoxOffice.filled(type)
        let context = ManagedObjectContext(
            coordinator: stack.coordinator, classes: BoxOffice.classes)
        context.mergePolicy = StandardMergePolicy(.mergeByPropertyObjectTrump)
        let new = try context.insert("Ticket", ["code": "1", "price": 9])
        try await context.saveInBackground()

        #expect(new.objectID == id)
        #expect(try Self.values(new) == [5, 9])
        #expect(!context.hasChanges)
    }
}

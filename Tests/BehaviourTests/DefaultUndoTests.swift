import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Undo of a main-queue context` {
    @Test(arguments: chosenEngines)
    @MainActor func `is available on the main queue without set-up, with a bound`(
        _ type: StoreType
    ) throws {
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)

        let manager = try #require(context.undoManager)
        #expect(manager.levelsOfUndo > 0)
        _ = try context.insert("Tag", ["name": "new"])
        context.undo()
        #expect(!context.hasChanges)
    }

    @Test(arguments: chosenEngines)
    @MainActor func `keeps no more groups than its bound`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        let manager = try #require(context.undoManager)
        manager.groupsByEvent = false
        let tag = try context.insert("Tag", ["name": "first"])
        for number in 0..<(2 * manager.levelsOfUndo) {
            try tag.setValue("n\(number)", forKey: "name")
            context.processPendingChanges()
        }

        #expect(manager.undoCount == manager.levelsOfUndo)
        context.undo()
        #expect(try tag["name"] == .string("n\(2 * manager.levelsOfUndo - 2)"))
    }

    @Test(arguments: chosenEngines)
    @MainActor func `keeps no more changes than its bound`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        let manager = try #require(context.undoManager)
        manager.groupsByEvent = false
        manager.changesOfUndo = 10
        for _ in 0..<5 {
            for _ in 0..<4 { _ = try context.insert("Tag") }
            context.processPendingChanges()
        }

        #expect(manager.undoCount == 2)
        context.undo()
        #expect(context.insertedObjects.count == 16)
    }

    @Test(arguments: chosenEngines)
    @MainActor func `cannot take back a group that is larger than its bound, nor older ones`(
        _ type: StoreType
    ) throws {
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        let manager = try #require(context.undoManager)
        manager.groupsByEvent = false
        manager.changesOfUndo = 10
        _ = try context.insert("Tag")
        context.processPendingChanges()
        for _ in 0..<11 { _ = try context.insert("Tag") }
        context.processPendingChanges()

        #expect(!manager.canUndo)
        _ = try context.insert("Tag")
        context.processPendingChanges()
        #expect(manager.undoCount == 1)
    }

    @Test(arguments: chosenEngines)
    @MainActor func `releases what an import in one turn inserted`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        let manager = try #require(context.undoManager)
        manager.changesOfUndo = 100
        for _ in 0..<20 {
            for _ in 0..<50 { _ = try context.insert("Tag") }
            try context.save()
        }
        let kept = context.registeredObjects.count

        #expect(kept <= 100)
        #expect(!manager.canUndo)
    }

    @Test(arguments: chosenEngines)
    @MainActor func `works without bounds, and can be disabled`(_ type: StoreType) throws {
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        let manager = try #require(context.undoManager)
        (manager.levelsOfUndo, manager.changesOfUndo) = (0, 0)
        manager.groupsByEvent = false
        for _ in 0..<200 {
            _ = try context.insert("Tag")
            context.processPendingChanges()
        }
        let count = manager.undoCount
        context.undoManager = nil
        _ = try context.insert("Tag")
        context.undo()

        #expect(count == 200)
        #expect(context.insertedObjects.count == 201)
    }
}

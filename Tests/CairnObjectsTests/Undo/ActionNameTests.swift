import CairnModel
import Dispatch
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnUndo

@Suite struct `The name of an action` {
    private let stack: MusicStack

    init() throws { stack = try MusicStack() }

    /// Returns a context with an undo manager and a saved tag of the given name.
    private func editor(tag: String) throws -> ContextHandle {
        let handle = stack.handle()
        try handle.performAndWait { context in
            context.retainsRegisteredObjects = true
            try context.insertNewObject(forEntityName: "Tag").setValue(tag, forKey: "name")
            try context.save()
            context.undoManager = UndoManager()
        }
        return handle
    }

    @Test func `is given before the event ends`() throws {
        let handle = try editor(tag: "a")

        for name in ["Rename", "Rename Again"] {
            try handle.performAndWait { context in
                try context.tag().setValue(name, forKey: "name")
                context.undoManager?.setActionName(name)
            }
        }

        let names = try handle.performAndWait { context in
            let last = context.undoManager?.undoActionName
            context.undo()
            return [last, context.undoManager?.undoActionName, context.undoManager?.redoActionName]
        }
        #expect(names == ["Rename Again", "Rename", "Rename Again"])
    }

    @MainActor @Test func `is given before the main queue's turn ends`() async throws {
        let context = ManagedObjectContext(coordinator: stack.coordinator)

        _ = try context.insertNewObject(forEntityName: "Tag")
        context.undoManager?.setActionName("Add Tag")
        // Waits until after the blocks that the turn's first change enqueued on the main queue.
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }

        #expect(context.undoManager?.groupingLevel == 0)
        #expect(context.undoManager?.undoActionName == "Add Tag")
    }

    @Test func `names one event if each event is a group`() throws {
        let editor = try MusicEditor()
        let tag = try editor.tag("a")
        editor.manager.setActionName("Add Tag")

        try tag.setValue("b", forKey: "name")
        editor.manager.setActionName("Rename")
        editor.context.processPendingChanges()
        let last = editor.manager.undoActionName
        editor.context.undo()

        #expect(last == "Rename")
        #expect(editor.manager.undoActionName == "Add Tag")
    }

    @Test func `is dropped with an event that changed nothing, and redo stays available`() throws {
        let handle = try editor(tag: "a")
        try handle.performAndWait { context in
            try context.tag().setValue("b", forKey: "name")
            context.undoManager?.setActionName("Rename")
        }
        try handle.performAndWait { $0.undo() }

        try handle.performAndWait { context in
            let tag = try context.tag()
            try tag.setValue("c", forKey: "name")
            try tag.setValue("a", forKey: "name")
            context.undoManager?.setActionName("Nothing")
        }

        let (counts, name) = try handle.performAndWait { context in
            let manager = try #require(context.undoManager)
            return ([manager.undoCount, manager.redoCount], manager.redoActionName)
        }
        #expect(counts == [0, 1])
        #expect(name == "Rename")
    }

    @Test func `is not lost to a refresh before the change`() throws {
        let handle = try editor(tag: "a")

        let names = try handle.performAndWait { context in
            let tag = try context.tag()
            try tag.setValue("b", forKey: "name")
            context.undoManager?.setActionName("Rename")
            context.processPendingChanges()
            context.undoManager?.endEvent()
            try context.refresh(tag, mergeChanges: true)
            context.undoManager?.setActionName("Rename It")
            return context.undoManager?.undoActionName
        }

        #expect(names == "Rename It")
    }

    @MainActor @Test func `covers everything that two contexts do in one turn`() async throws {
        let contexts = (0..<2).map { _ in ManagedObjectContext(coordinator: stack.coordinator) }
        let manager = UndoManager()
        for context in contexts { context.undoManager = manager }

        for context in contexts { _ = try context.insertNewObject(forEntityName: "Tag") }
        manager.setActionName("Add Two")
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        let count = manager.undoCount
        let name = manager.undoActionName
        manager.undo()

        #expect(count == 1)
        #expect(name == "Add Two")
        #expect(contexts.allSatisfy { $0.insertedObjects.isEmpty })
    }

    @Test func `of a group does not stay open for another context`() throws {
        let (first, second) = (stack.handle(), stack.handle())
        let manager = Held(UndoManager())

        try first.performAndWait { context in
            context.undoManager = manager.value
            _ = try context.insertNewObject(forEntityName: "Tag")
            manager.value.setActionName("Lost")
            context.undoManager = nil
        }
        let level = try second.performAndWait { context in
            context.undoManager = manager.value
            return manager.value.groupingLevel
        }

        #expect(level == 0)
        #expect(!manager.value.canUndo)
    }

    private struct Held: @unchecked Sendable {
        // Unchecked because it is used by one turn at a time.
        let value: UndoManager
        init(_ value: UndoManager) { self.value = value }
    }
}

extension ManagedObjectContext {
    /// Returns the only tag in the store.
    fileprivate func tag() throws -> ManagedObject {
        try #require(try fetch(FetchRequest<ManagedObject>("Tag")).first { _ in true })
    }
}

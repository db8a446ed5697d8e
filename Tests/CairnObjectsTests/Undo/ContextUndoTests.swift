import CairnModel
import Foundation
import Testing

@testable import CairnObjects
@testable import CairnUndo

@Suite struct `Undo in a context` {
    private let editor: MusicEditor
    private let context: ManagedObjectContext
    private let manager: UndoManager

    init() throws {
        editor = try MusicEditor()
        context = editor.context
        manager = editor.manager
    }

    @Test func `is available in main-queue contexts but not in private ones`() async throws {
        let coordinator = editor.stack.coordinator
        let onMain = await MainActor.run {
            ManagedObjectContext(coordinator: coordinator).undoManager != nil
        }

        let inPrivate = try editor.stack.handle().performAndWait { $0.undoManager != nil }

        #expect(onMain)
        #expect(!inPrivate)
    }

    @Test func `undoes everything that one turn did`() throws {
        let handle = editor.stack.handle()
        try handle.performAndWait { context in
            context.undoManager = UndoManager()
            _ = try context.insertNewObject(forEntityName: "Tag")
        }

        let counts = try handle.performAndWait { context in
            _ = try context.insertNewObject(forEntityName: "Tag")
            // A separate event in the same turn.
            context.processPendingChanges()
            _ = try context.insertNewObject(forEntityName: "Tag")
            context.undo()
            let first = context.insertedObjects.count
            context.undo()
            return [first, context.insertedObjects.count]
        }

        #expect(counts == [1, 0])
    }

    @Test func `undoes changes that were not yet processed`() throws {
        let tag = try editor.tag("a")

        try tag.setValue("b", forKey: "name")
        context.undo()

        #expect(try tag["name"] == "a")
    }

    @Test func `can be requested from the manager itself`() throws {
        let tag = try editor.tag("a")
        try tag.setValue("b", forKey: "name")

        let could = manager.canUndo
        manager.undo()

        #expect(could)
        #expect(try tag["name"] == "a")
    }

    @Test func `undoes a manually begun group as one`() throws {
        let tag = try editor.tag("a")

        manager.beginUndoGrouping()
        try tag.setValue("b", forKey: "name")
        context.processPendingChanges()
        try tag.setValue("c", forKey: "name")
        manager.setActionName("Rename")
        manager.endUndoGrouping()
        let title = manager.undoMenuItemTitle
        context.undo()

        #expect(title == "Undo Rename")
        #expect(try tag["name"] == "a")
        #expect(manager.redoActionName == "Rename")
    }

    @Test func `leaves out changes made while it was disabled`() throws {
        let tag = try editor.tag("a")

        try tag.setValue("b", forKey: "name")
        manager.disableUndoRegistration()
        let other = try editor.insert("Tag")
        manager.enableUndoRegistration()
        context.undo()

        #expect(try tag["name"] == "a")
        #expect(other.isInserted)
    }

    @Test func `has nothing to undo after a rollback`() throws {
        _ = try editor.tag("a")

        context.rollback()

        #expect(!manager.canUndo)
    }

    @Test func `has nothing to undo after a reset`() throws {
        _ = try editor.tag("a")

        context.reset()

        #expect(!manager.canUndo)
    }

    @Test func `stops recording with a manager that was replaced`() throws {
        _ = try editor.tag("a")

        context.undoManager = nil

        #expect(!manager.canUndo)
        #expect(!context.undoing.isRecording)
    }

    @Test func `holds no more objects than its levels need`() throws {
        manager.levelsOfUndo = 1
        weak var old: ManagedObject?
        do { old = try editor.tag("a") }
        try context.save()
        let isHeld = old != nil

        _ = try editor.tag("b")

        #expect(isHeld)
        #expect(old == nil)
    }

    @Test func `leaves nothing behind when its context is released`() throws {
        weak var object: ManagedObject?
        do {
            let context = try editor.stack.context()
            context.undoManager = manager
            object = try context.insertNewObject(forEntityName: "Tag")
            context.processPendingChanges()
            try context.save()
            context.undo()
        }

        #expect(object == nil)
        #expect(!manager.canRedo)
    }

    @Test func `records nothing without a manager`() throws {
        context.undoManager = nil
        let (track, tag) = (try editor.insert("Track"), try editor.insert("Tag"))
        context.processPendingChanges()

        try track.objects("tags").insert(tag)

        #expect(!context.events.journal.recordsSteps)
        #expect(context.events.journal.finishedSteps(in: context).isEmpty)
    }

    @Test func `keeps one entry for a value that was set repeatedly`() throws {
        let tag = try editor.tag("a")

        for number in 0..<100 { try tag.setValue("\(number)", forKey: "name") }

        #expect(UndoRecord(eventOf: context).mutations.count == 1)
    }

    @Test func `records only the changed part of a long order`() throws {
        let album = try editor.insert("Album")
        let tracks = try (0..<100).map { _ in try editor.insert("Track") }
        try album.orderedObjects("tracks").replaceAll(with: tracks)
        context.processPendingChanges()

        try album.orderedObjects("tracks").move(tracks[50], to: 52)
        let moving = UndoRecord(eventOf: context).mutations.map { mutation -> [Int] in
            if case .moved(_, _, _, let from, let to) = mutation { [from, to] } else { [] }
        }
        context.processPendingChanges()
        try album.orderedObjects("tracks").remove(at: 30)
        let removing = UndoRecord(eventOf: context).mutations.compactMap { mutation in
            if case .order(_, _, let change) = mutation { change.before.count } else { nil }
        }

        #expect(moving == [[50, 52]])
        #expect(removing == [1])
    }

    @MainActor @Test func `of a main-queue context treats a turn of the main queue as one group`()
        async throws
    {
        let context = ManagedObjectContext(coordinator: editor.stack.coordinator)
        for _ in 0..<2 {
            for _ in 0..<2 {
                _ = try context.insertNewObject(forEntityName: "Tag")
                context.processPendingChanges()
            }
            // Waits until the block that the turn's first change enqueued on the main queue has
            // run.
            await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        }

        context.undo()
        let left = context.insertedObjects.count
        context.undo()

        #expect(left == 2)
        #expect(context.insertedObjects.isEmpty)
    }
}

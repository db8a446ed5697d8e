import CairnModel
import Foundation
import Testing

@testable import CairnObjects
@testable import CairnUndo
@testable import CairnStack

@Suite struct `An undo` {
    private let editor: MusicEditor
    private let context: ManagedObjectContext
    private let manager: UndoManager

    init() throws {
        editor = try MusicEditor()
        context = editor.context
        manager = editor.manager
    }

    @Test func `makes an object clean again that was clean before`() throws {
        let tag = try editor.tag("a")
        try context.save()

        try tag.setValue("b", forKey: "name")
        context.undo()

        #expect(!tag.hasChanges)
        #expect(!context.hasChanges)
    }

    @Test func `takes an insertion out of the context, and redo puts the same object in`() throws {
        let tag = try editor.tag("a")
        let id = tag.objectID

        context.undo()
        let wasInContext = tag.managedObjectContext != nil
        context.redo()

        #expect(!wasInContext)
        #expect(tag.isInserted)
        #expect(tag.objectID == id)
        #expect(context.registeredObject(for: id) === tag)
        #expect(try tag["name"] == "a")
    }

    @Test func `of an insertion finds a related object again that was saved meanwhile`() throws {
        let artist = try editor.insert("Artist", ["name": "Nina"])
        context.processPendingChanges()
        let album = try editor.insert("Album")
        try album.setValue(artist, forKey: "artist")
        context.undo()
        try context.save()

        context.redo()

        #expect(!artist.objectID.isTemporary)
        #expect(try album["artist"] == .objectID(artist.objectID))
        #expect(try artist.objects("albums").objectIDs() == [album.objectID])
    }

    @Test func `of a saved insertion does not delete objects related to it`() throws {
        let track = try editor.insert("Track")
        let cover = try editor.insert("Cover")
        context.processPendingChanges()
        let album = try editor.insert("Album")
        try album.orderedObjects("tracks").append(track)
        try album.setValue(cover, forKey: "cover")
        try context.save()

        context.undo()
        let left = [track.isDeleted, cover.isDeleted]
        try context.save()
        context.redo()

        #expect(left == [false, false])
        #expect(try album["cover"] == .objectID(cover.objectID))
        #expect(try album.orderedObjects("tracks").objectIDs() == [track.objectID])
    }

    @Test func `of a relationship value finds the object after it was saved`() throws {
        let one = try editor.insert("Artist", ["name": "A"])
        let two = try editor.insert("Artist", ["name": "B"])
        let album = try editor.insert("Album")
        try album.setValue(one, forKey: "artist")
        context.processPendingChanges()

        try album.setValue(two, forKey: "artist")
        try context.save()
        context.undo()

        #expect(try album["artist"] == .objectID(one.objectID))
        #expect(Array(try one.objects("albums")) == [album])
        #expect(try two.objects("albums").isEmpty)
    }

    @Test func `restores a deleted new object`() throws {
        let tag = try editor.tag("a")

        try context.delete(tag)
        context.undo()
        try context.save()

        #expect(!tag.isDeleted)
        #expect(try context.count(for: FetchRequest<ManagedObject>("Tag")) == 1)
    }

    @Test func `restores a new object whose deletion was saved`() throws {
        let tag = try editor.tag("a")
        try context.delete(tag)
        try context.save()

        context.undo()
        try context.save()

        #expect(try tag["name"] == "a")
        #expect(try context.count(for: FetchRequest<ManagedObject>("Tag")) == 1)
    }

    @Test func `restores an object with its ID after its deletion was saved`() throws {
        let tag = try editor.tag("a")
        try context.save()
        let id = tag.objectID
        try context.delete(tag)
        try context.save()
        let wasGone = tag.managedObjectContext == nil

        context.undo()

        #expect(wasGone)
        #expect(tag.isInserted)
        #expect(tag.objectID == id)
        #expect(context.registeredObject(for: id) === tag)
        #expect(try tag["name"] == "a")
    }

    @Test func `replaces a fault that stood for the deleted object`() throws {
        let tag = try editor.tag("a")
        try context.save()
        try context.delete(tag)
        try context.save()
        let impostor = try context.object(with: tag.objectID)

        context.undo()

        #expect(impostor !== tag)
        #expect(impostor.managedObjectContext == nil)
        #expect(try context.object(with: tag.objectID) === tag)
    }

    @Test func `reverts transient values`() throws {
        let artist = try editor.insert("Artist", ["name": "Nina", "nickname": "N"])
        context.processPendingChanges()

        try artist.setValue("M", forKey: "nickname")
        context.undo()
        let undone = try artist["nickname"]
        context.redo()

        #expect(undone == "N")
        #expect(try artist["nickname"] == "M")
    }

    @Test func `reverts what hooks did during a save`() throws {
        let context = try editor.stack.context(classes: ObjectClasses([Track.self]))
        context.undoManager = manager
        let track = try Track(context: context)
        context.processPendingChanges()

        try context.save()
        let saved = try track["number"]
        context.undo()

        #expect(saved == 99)
        #expect(try track["number"] == 1)
    }

    private final class Track: ManagedObject, SavePreparing {
        func prepareForSave() { try? setValue(99, forKey: "number") }
    }

    @Test func `notifies an object that its values changed, and why`() throws {
        let context = try editor.stack.context(classes: ObjectClasses([Tag.self]))
        context.undoManager = manager
        let tag = try Tag(context: context)
        context.processPendingChanges()
        try tag.setValue("b", forKey: "name")
        context.processPendingChanges()
        try context.delete(tag)

        context.undo()
        context.undo()
        context.undo()
        context.redo()

        #expect(tag.events == [.undoDeletion, .undoUpdate, .undoDeletion])
    }

    private final class Tag: ManagedObject {
        private(set) var events: [SnapshotEvents] = []

        override func awakeFromSnapshotEvents(_ events: SnapshotEvents) {
            self.events.append(events)
        }
    }

    @Test func `leaves no trace of a failed save`() throws {
        _ = try editor.insert("Artist")
        context.processPendingChanges()

        #expect(throws: GraphError.self) { try context.save() }
        context.undo()

        #expect(context.insertedObjects.isEmpty)
        #expect(!manager.canUndo)
    }

    @Test func `reports objects that are no longer in the store, and continues`() throws {
        let (one, two) = (try editor.tag("a"), try editor.tag("b"))
        try context.save()
        try one.setValue("x", forKey: "name")
        try two.setValue("y", forKey: "name")
        try context.save()
        let other = try editor.stack.context()
        try other.delete(try other.existingObject(with: one.objectID))
        try other.save()
        try context.refresh(one, mergeChanges: false)
        var reported: [ObjectID] = []
        context.faultFailureHandler = { _, object in reported.append(object.objectID) }

        context.undo()

        #expect(reported == [one.objectID])
        #expect(try two["name"] == "b")
    }

    @Test func `is reported as an event`() throws {
        let tag = try editor.tag("a")
        let recorder = EventRecorder()
        context.observers.add(recorder)

        context.undo()
        context.redo()

        #expect(recorder.events.map(\.deleted) == [[tag], []])
        #expect(recorder.events.map(\.inserted) == [[], [tag]])
    }

    // MARK: Amounts

    @Test func `of 20,000 members added in one event can be redone`() throws {
        let album = try editor.insert("Album")
        let tag = try editor.tag("a")
        let tracks = try (0..<20_000).map { _ in try editor.insert("Track") }
        context.processPendingChanges()
        for track in tracks {
            try track.setValue(album, forKey: "album")
            try tag.objects("tracks").insert(track)
        }

        context.undo()
        let undone = [try album.orderedObjects("tracks").count, try tag.objects("tracks").count]
        context.redo()

        #expect(undone == [0, 0])
        #expect(try album.orderedObjects("tracks").objectIDs() == tracks.map(\.objectID))
        #expect(try tag.objects("tracks").count == 20_000)
    }

    @Test func `of a cascade through 20,000 objects can be redone`() throws {
        let album = try editor.insert("Album")
        try album.orderedObjects("tracks").replaceAll(
            with: try (0..<20_000).map { _ in try editor.insert("Track") })
        try context.save()
        try context.delete(album)
        try context.save()

        context.undo()
        try context.save()
        let restored = try context.count(for: FetchRequest<ManagedObject>("Track"))
        context.redo()
        try context.save()

        #expect(restored == 20_000)
        #expect(try context.count(for: FetchRequest<ManagedObject>("Track")) == 0)
    }
}

@Suite struct `A change of an order` {
    private func id(_ key: Int64) -> ObjectID {
        ObjectID(
            store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(rawValue: 0),
            entity: EntityNumber(rawValue: 0), key: key)
    }

    private func ids(_ keys: [Int64]) -> [ObjectID] { keys.map(id) }

    @Test(
        arguments: [
            ([], []), ([1, 2, 3], [1, 2, 3]), ([1, 2, 3], [3, 2, 1]), ([1, 2, 3], [1, 3]),
            ([1, 3], [1, 2, 3]), ([1, 2], [3, 4]), ([1, 2, 3, 4], [1, 3, 2, 4]), ([], [1, 2]),
        ] as [([Int64], [Int64])])
    func `can be reverted`(_ before: [Int64], _ after: [Int64]) {
        let change = OrderChange(from: ids(before), to: ids(after))

        #expect(change.revert(ids(after)) == ids(before))
    }

    @Test func `does not affect members that others added meanwhile`() {
        let change = OrderChange(from: ids([1, 2, 3]), to: ids([2, 1, 3]))

        let order = change.revert(ids([9, 2, 1, 3]))

        #expect(order == ids([1, 2, 9, 3]))
    }
}

import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnUndo

@Suite struct `An event that changes nothing` {
    private let context: ManagedObjectContext
    private let manager = UndoManager()
    private let album: ManagedObject
    private let track: ManagedObject
    private let tag: ManagedObject

    /// Registers one event for each object, and another event that adds the track to the album.
    init() throws {
        context = try MusicStack().context()
        manager.groupsByEvent = false
        context.undoManager = manager
        album = try context.insertNewObject(forEntityName: "Album")
        context.processPendingChanges()
        tag = try context.insertNewObject(forEntityName: "Tag")
        context.processPendingChanges()
        track = try context.insertNewObject(forEntityName: "LiveTrack")
        try track.setValue("Blue", forKey: "title")
        context.processPendingChanges()
        try album.orderedObjects("tracks").insert(track, at: 0)
        context.processPendingChanges()
    }

    private var tracks: [ObjectID] {
        get throws { try album.orderedObjects("tracks").objectIDs() }
    }

    @Test(arguments: [0, 1])
    func `leaves the previous event undoable if a member keeps its position`(_ index: Int)
        throws
    {
        try album.orderedObjects("tracks").insert(track, at: index)
        context.processPendingChanges()
        let count = manager.undoCount

        context.undo()

        #expect(count == 4)
        #expect(try tracks.isEmpty)
        #expect(try track["album"] == .null)
        #expect(track.isInserted)
    }

    @Test func `registers nothing for an order that ends as it began`() throws {
        let other = try context.insertNewObject(forEntityName: "Track")
        try other.setValue(album, forKey: "album")
        context.processPendingChanges()
        let count = manager.undoCount

        try album.orderedObjects("tracks").move(other, to: 0)
        try album.orderedObjects("tracks").move(other, to: 1)
        context.processPendingChanges()

        #expect(manager.undoCount == count)
    }

    @Test func `registers nothing for members added and removed, or removed and added again`()
        throws
    {
        try track.objects("tags").insert(tag)
        try tag.objects("tracks").remove(track)
        try album.orderedObjects("tracks").remove(track)
        try album.orderedObjects("tracks").insert(track, at: 0)
        context.processPendingChanges()

        #expect(manager.undoCount == 4)
    }

    @Test func `registers nothing for a member that was removed and added again`() throws {
        try track.objects("tags").insert(tag)
        context.processPendingChanges()

        try track.objects("tags").remove(tag)
        try track.objects("tags").insert(tag)
        context.processPendingChanges()
        context.undo()

        #expect(manager.undoCount == 4)
        #expect(try track.objects("tags").isEmpty)
    }

    @Test func `registers nothing for an object inserted and deleted with its neighbours`() throws {
        let (other, mark) = (
            try context.insertNewObject(forEntityName: "Track"),
            try context.insertNewObject(forEntityName: "Tag")
        )
        try album.orderedObjects("tracks").insert(other, at: 0)
        try track.objects("tags").insert(mark)
        try other.objects("tags").insert(tag)
        try context.delete(other)
        try context.delete(mark)
        context.processPendingChanges()

        #expect(manager.undoCount == 4)
        #expect(try tracks == [track.objectID])
        #expect(try tag.objects("tracks").isEmpty)
    }

    @Test func `registers nothing for a transient value that ends as it began`() throws {
        let artist = try context.insertNewObject(forEntityName: "Artist")
        context.processPendingChanges()
        let count = manager.undoCount

        try artist.setValue("M", forKey: "nickname")
        try artist.setValue(nil, forKey: "nickname")
        context.processPendingChanges()

        #expect(manager.undoCount == count)
    }

    @Test func `does not clear the redo stack`() throws {
        context.undo()

        try context.delete(try context.insertNewObject(forEntityName: "Album"))
        context.processPendingChanges()
        context.redo()

        #expect(try tracks == [track.objectID])
    }

    // MARK: Events that change something

    @Test func `differs from an event that moves a member`() throws {
        let other = try context.insertNewObject(forEntityName: "Track")
        try other.setValue(album, forKey: "album")
        context.processPendingChanges()

        try album.orderedObjects("tracks").insert(track, at: 1)
        context.processPendingChanges()
        let moved = try tracks
        context.undo()

        #expect(moved == [other.objectID, track.objectID])
        #expect(try tracks == [track.objectID, other.objectID])
    }

    @Test func `differs from an event that adds a member and moves all`() throws {
        let other = try context.insertNewObject(forEntityName: "Track")
        context.processPendingChanges()

        try album.orderedObjects("tracks").insert(other, at: 0)
        context.processPendingChanges()
        context.undo()
        let undone = try tracks
        context.redo()

        #expect(undone == [track.objectID])
        #expect(try other["album"] == .objectID(album.objectID))
        #expect(try tracks == [other.objectID, track.objectID])
    }

    @Test func `differs from an event that adds one object and removes another`() throws {
        let folder = try context.insertNewObject(forEntityName: "Folder")
        try context.delete(track)
        context.processPendingChanges()

        context.undo()

        #expect(folder.managedObjectContext == nil)
        #expect(track.isInserted)
        #expect(!track.isDeleted)
        #expect(try track["title"] == "Blue")
        #expect(try tracks == [track.objectID])
        #expect(try context.fetch(FetchRequest<ManagedObject>("Track")) == [track])
    }

    @Test(arguments: [3, 100])
    func `registers nothing for moves that end where they began`(_ count: Int) throws {
        let notes = try (0..<count).map { _ in try context.insertNewObject(forEntityName: "Track") }
        let order = try album.orderedObjects("tracks")
        try order.replaceAll(with: notes)
        context.processPendingChanges()
        let registered = manager.undoCount

        for index in 0..<(count - 1) { try order.exchangeMembers(at: index, and: index + 1) }
        for index in (0..<(count - 1)).reversed() {
            try order.exchangeMembers(at: index, and: index + 1)
        }
        context.processPendingChanges()

        #expect(try tracks == notes.map(\.objectID))
        #expect(manager.undoCount == registered)
    }

    @Test(arguments: [3, 100])
    func `differs from an event that moves, adds and removes members`(_ count: Int) throws {
        let notes = try (0..<count).map { _ in try context.insertNewObject(forEntityName: "Track") }
        let order = try album.orderedObjects("tracks")
        try order.replaceAll(with: notes)
        context.processPendingChanges()

        for index in 0..<(count - 1) { try order.exchangeMembers(at: index, and: index + 1) }
        try order.insert(track, at: 1)
        try order.remove(notes[0])
        context.processPendingChanges()
        let changed = try tracks
        context.undo()
        let undone = try tracks
        context.redo()

        #expect(undone == notes.map(\.objectID))
        #expect(try tracks == changed)
    }
}

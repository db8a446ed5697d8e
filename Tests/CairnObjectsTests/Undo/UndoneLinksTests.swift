import CairnModel
import Testing

@testable import CairnObjects

@Suite struct `Undo of a relationship` {
    private let editor: MusicEditor
    private let context: ManagedObjectContext
    private let tag: ManagedObject
    private let track: ManagedObject
    private let stranger: ManagedObject

    /// Creates a tag and a track that are linked, and another track that is not. All three are faults.
    init() throws {
        editor = try MusicEditor()
        context = editor.context
        let other = try editor.stack.context()
        let tagThere = try other.insertNewObject(forEntityName: "Tag")
        let trackThere = try other.insertNewObject(forEntityName: "Track")
        let strangerThere = try other.insertNewObject(forEntityName: "Track")
        try tagThere.objects("tracks").insert(trackThere)
        try other.save()
        tag = try context.object(with: tagThere.objectID)
        track = try context.object(with: trackThere.objectID)
        stranger = try context.object(with: strangerThere.objectID)
    }

    /// The tracks that another context reads.
    private var storedTracks: [ObjectID] {
        get throws {
            let other = try editor.stack.context()
            return try other.object(with: tag.objectID).objects("tracks").objectIDs()
        }
    }

    @Test(arguments: [true, false])
    func `keeps a stored member that was added again while both ends are faults`(
        _ fromTag: Bool
    ) throws {
        if fromTag {
            try tag.objects("tracks").insert(track)
        } else {
            try track.objects("tags").insert(tag)
        }
        context.processPendingChanges()
        let count = editor.manager.undoCount

        context.undo()
        try context.save()

        #expect(count == 0)
        #expect(try storedTracks == [track.objectID])
    }

    @Test func `does not add a non-member that was removed while both ends were faults`() throws {
        try tag.objects("tracks").remove(stranger)

        context.undo()
        try context.save()

        #expect(try storedTracks == [track.objectID])
    }

    @Test func `asks the store about one pair without reading members`() throws {
        editor.stack.source.resetCounts()

        try tag.objects("tracks").insert(stranger)
        context.processPendingChanges()
        context.undo()

        #expect(editor.stack.source.count("count") == 1)
        #expect(editor.stack.source.count("members read") == 0)
        #expect(try tag.objects("tracks").objectIDs() == [track.objectID])
    }

    @Test func `asks the store nothing without an undo manager`() throws {
        context.undoManager = nil
        editor.stack.source.resetCounts()

        try tag.objects("tracks").insert(stranger)

        #expect(editor.stack.source.count("count") == 0)
    }

    @Test func `finds a new member that got its ID during the event`() throws {
        let new = try editor.insert("Track")
        let album = try editor.insert("Album")
        context.processPendingChanges()

        try tag.objects("tracks").insert(new)
        try album.orderedObjects("tracks").append(new)
        try context.obtainPermanentIDs(for: [new, album])
        let changed = new.changedValuesForCurrentEvent()
        context.undo()
        let undone = [
            try tag.objects("tracks").objectIDs(), try album.orderedObjects("tracks").objectIDs(),
        ]
        context.redo()

        #expect(changed == ["album": .objectID(album.objectID)])
        #expect(undone == [[track.objectID], []])
        #expect(Set(try tag.objects("tracks").objectIDs()) == [track.objectID, new.objectID])
        #expect(try album.orderedObjects("tracks").objectIDs() == [new.objectID])
    }

    @Test func `finds a former destination that got its ID during the event`() throws {
        let (first, second) = (try editor.insert("Album"), try editor.insert("Album"))
        let new = try editor.insert("Track")
        try new.setValue(first, forKey: "album")
        context.processPendingChanges()

        try new.setValue(second, forKey: "album")
        try context.obtainPermanentIDs(for: [first, second])
        try new.setValue(first, forKey: "album")
        let unchanged = new.changedValuesForCurrentEvent()
        try new.setValue(second, forKey: "album")
        context.undo()

        #expect(unchanged.isEmpty)
        #expect(try new["album"] == .objectID(first.objectID))
        #expect(try first.orderedObjects("tracks").objectIDs() == [new.objectID])
        #expect(try second.orderedObjects("tracks").isEmpty)
    }
}

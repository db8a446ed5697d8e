import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

/// A class as generated for a version of the model that lacked `number` and had `title` first.
private class Track: ManagedObject {
    override class var slotNames: [String] { ["title", "album"] }
    var title: String? {
        get { string(at: 0) }
        set { setString(newValue, at: 0) }
    }
    var album: ManagedObject? { object(at: 1) }
}
private final class LiveTrack: Track {
    override class var slotNames: [String] { super.slotNames + ["venue"] }
    var venue: String? {
        get { string(at: 2) }
        set { setString(newValue, at: 2) }
    }
}

@Suite struct `Slots that a class numbers itself` {
    private let stack: MusicStack

    init() throws { stack = try MusicStack() }

    private func context() throws -> ManagedObjectContext {
        try stack.context(classes: ObjectClasses([Track.self, LiveTrack.self]))
    }

    @Test func `stand for its own properties, whatever the model's numbers are`() throws {
        let context = try context()
        let album = try context.insertNewObject(forEntityName: "Album")
        let track = try context.insert(LiveTrack.self)
        track.title = "Blue"
        track.venue = "Village Vanguard"
        try track.setValue(album, forKey: "album")
        let isOther = track.entity.property(named: "title")?.storage.rowSlot != 0
        try context.save()
        try context.refresh(track, mergeChanges: false)

        #expect(isOther)
        #expect(track.title == "Blue")
        #expect(track.venue == "Village Vanguard")
        #expect(track.album === album)
        #expect(track.slot(named: "title") == 0)
        #expect(track.slot(named: "number") == 3)
        #expect(track.int64(at: track.slot(named: "number") ?? 0) == 1)
        #expect(try track.value(forKey: "title") as? String == "Blue")
        #expect(track.changedValues().isEmpty)
    }

    @Test func `remain those of its class if the row is of a subentity`() throws {
        let first = try context()
        let track = try first.insert(LiveTrack.self)
        track.title = "Blue"
        try first.save()
        let second = try context()
        let root = try #require(second.managedObjectModel.entity(named: "Track"))
        let id = ObjectID(
            store: track.objectID.store, rootEntity: track.objectID.rootEntity,
            entity: root.number, key: track.objectID.key)

        let fault = try #require(try second.object(with: id) as? Track)
        let title = fault.title

        #expect(title == "Blue")
        #expect(fault.entity.name == "LiveTrack")
        #expect(!(fault is LiveTrack))
    }

    @Test func `are refused if the model does not have them`() throws {
        final class Tag: ManagedObject {
            override class var slotNames: [String] { ["name", "colour"] }
        }
        let context = try stack.context(classes: ObjectClasses([Tag.self]))

        let error = #expect(throws: GraphError.self) { _ = try context.insert(Tag.self) }

        guard case .classOfAnotherModel = error, let text = error?.description else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(text.contains("colour"))
        #expect(!(try context.insertNewObject(forEntityName: "Tag") is Tag))
    }

    @Test func `give each object of a mixed fetch its own class`() throws {
        let first = try context()
        try first.insert(Track.self).title = "a"
        try first.insert(LiveTrack.self).title = "b"
        try first.save()
        let second = try context()
        var request = FetchRequest<Track>()
        request.sortDescriptors = [FetchSortDescriptor("title")]

        let found: [Track] = try second.fetch(request)

        #expect(found.map(\.title) == ["a", "b"])
        #expect(found.map { $0 is LiveTrack } == [false, true])
    }
}

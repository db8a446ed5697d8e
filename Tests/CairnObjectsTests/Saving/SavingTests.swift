import CairnModel
import Foundation
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Saving a context` {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
    }

    @Test func `gives a new object a permanent ID and keeps it in its sets`() throws {
        let artist = try context.insertNewObject(forEntityName: "Artist")
        try artist.setValue("Nina", forKey: "name")
        let held: Set = [artist]
        let temporary = artist.objectID

        try context.save()

        #expect(temporary.isTemporary)
        #expect(!artist.objectID.isTemporary)
        #expect(held.contains(artist))
        #expect(!artist.isInserted)
        #expect(!context.hasChanges)
        #expect(context.registeredObject(for: temporary) === artist)
    }

    @Test func `shows another context every kind of value`() throws {
        let uuid = UUID()
        let album = try context.insertNewObject(forEntityName: "Album")
        try album.setValue("Blue 💿", forKey: "title")
        try album.setValue(Date(timeIntervalSinceReferenceDate: 12.5), forKey: "released")
        try album.setValue(Decimal(string: "9.99"), forKey: "price")
        try album.setValue(4.5, forKey: "rating")
        let cover = try context.insertNewObject(forEntityName: "Cover")
        try cover.setValue(Data(uuid.uuidString.utf8), forKey: "image")
        try album.setValue(cover, forKey: "cover")
        try context.save()

        let reader = try stack.context()
        let other = try reader.existingObject(with: album.objectID)

        #expect(try other["title"] == "Blue 💿")
        #expect(try other["released"] == .date(Date(timeIntervalSinceReferenceDate: 12.5)))
        #expect(try other["price"] == .decimal(Decimal(string: "9.99") ?? 0))
        #expect(try other["rating"] == 4.5)
        #expect(try other["cover"] == .objectID(cover.objectID))
        #expect(try other.value(forKeyPath: "cover.image") as? Data == Data(uuid.uuidString.utf8))
    }

    @Test func `stores changed values and raises the version`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        try tag.setValue("calm", forKey: "name")
        try context.save()
        let first = tag.rowVersion

        try tag.setValue("wild", forKey: "name")
        let wasUpdated = tag.isUpdated
        try context.save()
        let reader = try stack.context()
        let seen = try reader.existingObject(with: tag.objectID)

        #expect(wasUpdated)
        #expect(first == 1)
        #expect(tag.rowVersion == 2)
        #expect(try seen["name"] == "wild")
    }

    @Test func `does nothing if nothing changed`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        try context.save()
        stack.source.resetCounts()

        try tag.setValue(nil, forKey: "name")
        try context.save()

        #expect(tag.rowVersion == 1)
        #expect(stack.source.count("save") == 0)
    }

    @Test func `reports every object that was changed elsewhere, and saves after a refresh`() throws
    {
        let tags = try ["a", "b"].map { name in
            let tag = try context.insertNewObject(forEntityName: "Tag")
            try tag.setValue(name, forKey: "name")
            return tag
        }
        try context.save()
        let other = try stack.context()
        for tag in tags {
            try other.existingObject(with: tag.objectID).setValue("theirs", forKey: "name")
        }
        try other.save()
        for tag in tags { try tag.setValue("mine", forKey: "name") }

        let conflicts = try mergeConflicts { try context.save() }
        let stillChanged = tags.map(\.isUpdated)
        for tag in tags { try context.refresh(tag, mergeChanges: true) }
        try context.save()
        let reader = try stack.context()
        let seen = try reader.existingObject(with: tags[1].objectID)

        #expect(Set(conflicts.map(\.objectID)) == Set(tags.map(\.objectID)))
        #expect(stillChanged == [true, true])
        #expect(try seen["name"] == "mine")
        #expect(tags[0].rowVersion == 3)
    }

    @Test func `leaves the context unchanged if it fails`() throws {
        context.propagatesDeletesAtEndOfEvent = false
        let artist = try context.insertNewObject(forEntityName: "Artist")
        try artist.setValue("Nina", forKey: "name")
        let album = try context.insertNewObject(forEntityName: "Album")
        try artist.objects("albums").insert(album)
        try context.save()
        try context.delete(artist)
        let broken = try context.insertNewObject(forEntityName: "Artist")

        #expect(throws: GraphError.self) { try context.save() }

        #expect(artist.isDeleted)
        #expect(!album.isDeleted)
        #expect(!album.hasChanges)
        #expect(broken.isInserted)
        #expect(try album["artist"] == .objectID(artist.objectID))
    }

    @Test func `forgets deleted objects`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        try context.save()
        let id = tag.objectID

        try context.delete(tag)
        try context.save()

        #expect(tag.managedObjectContext == nil)
        #expect(context.registeredObject(for: id) == nil)
        #expect {
            try context.existingObject(with: id)
        } throws: { error in
            if case GraphError.objectGone(id, _) = error { true } else { false }
        }
    }

    @Test func `never stores an object that was inserted and deleted`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        try context.delete(tag)

        try context.save()

        #expect(try context.count(for: FetchRequest<ManagedObject>("Tag")) == 0)
        #expect(stack.source.count("save") == 0)
    }

    @Test func `uses an ID that was obtained before`() throws {
        let track = try context.insertNewObject(forEntityName: "Track")
        let tag = try context.insertNewObject(forEntityName: "Tag")
        try track.objects("tags").insert(tag)
        let album = try context.insertNewObject(forEntityName: "Album")
        try track.setValue(album, forKey: "album")

        try context.obtainPermanentIDs(for: [track, tag, album])
        let ids = [track, tag, album].map(\.objectID)
        try context.save()
        let reader = try stack.context()
        let seen = try reader.existingObject(with: track.objectID)

        #expect(ids.allSatisfy { !$0.isTemporary })
        #expect([track, tag, album].map(\.objectID) == ids)
        #expect(try seen["album"] == .objectID(album.objectID))
        #expect(try seen.objects("tags").objectIDs() == [tag.objectID])
    }

    @Test func `cannot be begun by an object's hook`() throws {
        let context = try stack.context(classes: ObjectClasses([Tag.self]))
        let tag = try Tag(context: context)

        try context.save()

        #expect(tag.wasRefused)
        #expect(!tag.isInserted)
    }

    private final class Tag: ManagedObject, SavePreparing {
        private(set) var wasRefused = false

        func prepareForSave() {
            do { try managedObjectContext?.save() } catch { wasRefused = true }
        }
    }

    private func mergeConflicts(_ body: () throws -> Void) throws -> [MergeConflict] {
        do {
            try body()
        } catch GraphError.mergeConflicts(let conflicts) {
            return conflicts
        }
        return []
    }
}

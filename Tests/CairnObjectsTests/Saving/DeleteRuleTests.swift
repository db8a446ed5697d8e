import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Delete rules` {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
    }

    private func artist() throws -> ManagedObject {
        let artist = try context.insertNewObject(forEntityName: "Artist")
        try artist.setValue("Nina", forKey: "name")
        return artist
    }

    private func count(_ entity: String) throws -> Int {
        try context.count(for: FetchRequest<ManagedObject>(entity))
    }

    @Test func `nullify clears the other end`() throws {
        let artist = try artist()
        let album = try context.insertNewObject(forEntityName: "Album")
        try album.setValue(artist, forKey: "artist")
        try context.save()

        try context.delete(album)
        try context.save()

        #expect(try artist.objects("albums").isEmpty)
        #expect(try count("Artist") == 1)
    }

    @Test func `nullify reaches objects that no one holds`() throws {
        let folder = try context.insertNewObject(forEntityName: "Label")
        let artistID: ObjectID
        do {
            let artist = try artist()
            try artist.setValue(folder, forKey: "label")
            try context.save()
            artistID = artist.objectID
        }
        let album = try context.insertNewObject(forEntityName: "Album")
        try album.setValue(try context.object(with: artistID), forKey: "artist")
        try context.save()

        try context.delete(album)
        try context.save()
        let reader = try stack.context()
        let artist = try reader.existingObject(with: artistID)

        #expect(try artist.objects("albums").isEmpty)
        #expect(try artist["label"] == .objectID(folder.objectID))
    }

    @Test func `nullify of a many-to-many removes the pairs and raises no other version`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        let track = try context.insertNewObject(forEntityName: "Track")
        try track.objects("tags").insert(tag)
        try context.save()

        try context.delete(tag)
        try context.save()
        let reader = try stack.context()
        let seen = try reader.existingObject(with: track.objectID)

        #expect(try track.objects("tags").isEmpty)
        #expect(try seen.objects("tags").isEmpty)
        #expect(seen.rowVersion == 1)
    }

    @Test func `cascade deletes what belongs to the object, and what belongs to that`() throws {
        let artist = try artist()
        let album = try context.insertNewObject(forEntityName: "Album")
        try artist.objects("albums").insert(album)
        try album.setValue(
            [try context.insertNewObject(forEntityName: "LiveTrack")], forKey: "tracks")
        try album.setValue(try context.insertNewObject(forEntityName: "Cover"), forKey: "cover")
        try context.save()

        try context.delete(artist)
        try context.save()
        let left = try ["Artist", "Album", "Track", "Cover"].map(count)

        #expect(left == [0, 0, 0, 0])
    }

    @Test func `a cycle of 30,000 cascades ends`() throws {
        var last = try context.insertNewObject(forEntityName: "Folder")
        let first = last
        for _ in 1..<30_000 {
            let next = try context.insertNewObject(forEntityName: "Folder")
            try next.setValue(last, forKey: "parent")
            last = next
        }
        try first.setValue(last, forKey: "parent")
        try context.save()

        try context.delete(first)
        try context.save()

        #expect(try count("Folder") == 0)
    }

    @Test func `deny refuses the save and names the relationship`() throws {
        let label = try context.insertNewObject(forEntityName: "Label")
        let artist = try artist()
        try artist.setValue(label, forKey: "label")
        try context.save()
        try context.delete(label)

        let failures = failures { try context.save() }

        #expect(failures.map(\.code) == [1600])
        #expect(failures.first?.property == "artists")
        #expect(failures.first?.object == label.objectID)
        #expect(try count("Artist") == 1)
    }

    @Test func `deny allows a deletion if the destinations are deleted too`() throws {
        let label = try context.insertNewObject(forEntityName: "Label")
        let artist = try artist()
        try artist.setValue(label, forKey: "label")
        try context.save()

        try context.delete(label)
        try context.delete(artist)
        try context.save()

        #expect(try count("Label") == 0)
    }

    @Test func `no action leaves the other end alone`() throws {
        let note = try context.insertNewObject(forEntityName: "Note")
        let album = try context.insertNewObject(forEntityName: "Album")
        try note.setValue(album, forKey: "about")
        try context.save()

        try context.delete(note)
        try context.save()

        #expect(try count("Album") == 1)
        #expect(album.rowVersion == 1)
    }

    @Test func `an object that was deleted elsewhere is a conflict`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        try context.save()
        let other = try stack.context()
        try other.delete(try other.existingObject(with: tag.objectID))
        try other.save()

        try context.delete(tag)
        let error = #expect(throws: GraphError.self) { try context.save() }

        guard case .mergeConflicts(let conflicts) = error else {
            Issue.record("no row conflict: \(String(describing: error))")
            return
        }
        #expect(conflicts.map(\.objectID) == [tag.objectID])
    }
}

/// Returns the validation failures that a call throws, or an empty array if it throws a different error.
func failures(_ body: () throws -> Void) -> [ValidationFailure] {
    do {
        try body()
    } catch GraphError.validation(let failures) {
        return failures
    } catch {
        return []
    }
    return []
}

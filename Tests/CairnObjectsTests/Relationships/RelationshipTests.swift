import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct Relationships {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
    }

    private func insert(_ entity: String) throws -> ManagedObject {
        let object = try context.insertNewObject(forEntityName: entity)
        if entity == "Artist" { try object.setValue("Nina", forKey: "name") }
        return object
    }

    /// Returns the same object from another context.
    private func seen(_ object: ManagedObject) throws -> ManagedObject {
        let other = try stack.context()
        let seen = try other.existingObject(with: object.objectID)
        keeper.contexts.append(other)
        return seen
    }

    private final class Keeper { var contexts: [ManagedObjectContext] = [] }
    private let keeper = Keeper()

    @Test func `setting a to-one adds the object to the other end`() throws {
        let artist = try insert("Artist")
        let album = try insert("Album")

        try album.setValue(artist, forKey: "artist")

        #expect(Array(try artist.objects("albums")) == [album])
    }

    @Test func `adding a member sets the other end and leaves the former owner`() throws {
        let (first, second) = (try insert("Artist"), try insert("Artist"))
        let album = try insert("Album")
        try first.objects("albums").insert(album)

        try second.objects("albums").insert(album)

        #expect(try first.objects("albums").isEmpty)
        #expect(Array(try second.objects("albums")) == [album])
        #expect(try album["artist"] == .objectID(second.objectID))
    }

    @Test func `setting a one-to-one unlinks both former partners`() throws {
        let (a, b) = (try insert("Album"), try insert("Album"))
        let (x, y) = (try insert("Cover"), try insert("Cover"))
        try a.setValue(x, forKey: "cover")
        try b.setValue(y, forKey: "cover")

        try a.setValue(y, forKey: "cover")

        #expect(try a.value(forKey: "cover") as? ManagedObject == y)
        #expect(try y.value(forKey: "album") as? ManagedObject == a)
        #expect(try b.value(forKey: "cover") == nil)
        #expect(try x.value(forKey: "album") == nil)
    }

    @Test func `a many-to-many is seen from both ends and saved once`() throws {
        let (one, two) = (try insert("Track"), try insert("LiveTrack"))
        let tag = try insert("Tag")
        try one.objects("tags").insert(tag)
        try tag.objects("tracks").insert(two)
        try context.save()

        try one.objects("tags").remove(tag)
        try context.save()
        let others = try seen(tag).objects("tracks").objectIDs()

        #expect(others == [two.objectID])
        #expect(try tag.objects("tracks").objectIDs() == [two.objectID])
        #expect(try one.objects("tags").isEmpty)
    }

    @Test func `a relationship may be its own inverse`() throws {
        let (one, two) = (try insert("Track"), try insert("Track"))

        try one.objects("similar").insert(two)
        try context.save()
        let (a, b) = (try seen(one), try seen(two))

        #expect(try two.objects("similar").objectIDs() == [one.objectID])
        #expect(try a.objects("similar").objectIDs() == [two.objectID])
        #expect(try b.objects("similar").objectIDs() == [one.objectID])
    }

    @Test func `a relationship without an inverse works in one direction`() throws {
        let (note, album) = (try insert("Note"), try insert("Album"))

        try note.setValue(album, forKey: "about")
        try context.save()

        #expect(try seen(note)["about"] == .objectID(album.objectID))
    }

    @Test func `adding one member to many fetches none of them`() throws {
        let artist = try insert("Artist")
        for _ in 0..<300 { try artist.objects("albums").insert(try insert("Album")) }
        try context.save()
        let other = try stack.context()
        let fault = try other.object(with: artist.objectID)
        stack.source.resetCounts()

        let album = try other.insertNewObject(forEntityName: "Album")
        try fault.objects("albums").insert(album)
        try other.save()
        let calls = (stack.source.count("relatedIDs"), stack.source.count("rows"))

        #expect(calls == (0, 0))
        #expect(try fault.objects("albums").count == 301)
        #expect(other.registeredObjects.count == 2)
    }

    @Test func `an order survives moves and saves`() throws {
        let album = try insert("Album")
        let tracks = try (0..<5).map { _ in try insert("Track") }
        let view: OrderedObjects<ManagedObject> = try album.orderedObjects("tracks")
        for track in tracks { try view.append(track) }
        try context.save()

        try view.move(tracks[4], to: 0)
        try view.insert(try insert("LiveTrack"), at: 2)
        let expected = try view.objectIDs()
        try context.save()
        let saved = try seen(album).orderedObjects("tracks").objectIDs()

        let order = Array(view)
        #expect(order.first == tracks[4])
        #expect(expected.count == 6)
        #expect(saved == (try view.objectIDs()))
    }

    @Test func `removing members by index leaves the others in order`() throws {
        let album = try context.insertNewObject(forEntityName: "Album")
        let tracks = try album.orderedObjects("tracks")
        for _ in 0..<9 { try tracks.append(try context.insertNewObject(forEntityName: "Track")) }
        var expected = Array(tracks)
        try context.save()

        for index in [0, 3, 3, 5, 0, 9, -1] {
            if expected.indices.contains(index) { expected.remove(at: index) }
            try tracks.remove(at: index)
            #expect(try (0...expected.count).map(tracks.member) == expected + [nil])
        }
        try context.save()
        try context.refresh(album, mergeChanges: false)
        #expect(Array(tracks) == expected)
        try tracks.removeAll()

        #expect(tracks.isEmpty)
        #expect(try expected[0].value(forKey: "album") == nil)
    }

    @Test func `a long series of moves keeps its order`() throws {
        let album = try insert("Album")
        let tracks = try (0..<6).map { _ in try insert("Track") }
        try album.setValue(tracks, forKey: "tracks")
        try context.save()
        let view: OrderedObjects<ManagedObject> = try album.orderedObjects("tracks")

        for round in 0..<40 {
            try view.move(tracks[round % 6], to: 1)
            try context.save()
        }
        let saved = try seen(album).orderedObjects("tracks").objectIDs()

        #expect(saved == (try view.objectIDs()))
        #expect(Set(saved).count == 6)
    }

    @Test func `an ordered many-to-many keeps its order`() throws {
        let playlist = try insert("Playlist")
        let tags = try (0..<4).map { _ in try insert("Tag") }
        try playlist.setValue(tags, forKey: "tags")
        try context.save()

        try playlist.setValue([tags[3], tags[1], tags[0]], forKey: "tags")
        try context.save()
        let saved = try seen(playlist).orderedObjects("tags").objectIDs()

        #expect(saved == [tags[3], tags[1], tags[0]].map(\.objectID))
        #expect(try seen(tags[2]).objects("playlists").isEmpty)
    }

    @Test func `refuses objects of another entity or context`() throws {
        let artist = try insert("Artist")
        let cover = try insert("Cover")
        let stranger = try stack.context()
        let album = try stranger.insertNewObject(forEntityName: "Album")

        let wrongType = #expect(throws: GraphError.self) {
            try artist.setValue([cover], forKey: "albums")
        }
        let wrongContext = #expect(throws: GraphError.self) {
            try artist.objects("albums").insert(album)
        }

        if case .wrongType(let entity, let property, let expected, let found) = wrongType {
            #expect(
                [entity, property, expected, found]
                    == ["Artist", "albums", "an object of Album", "an object of Cover"])
        } else {
            Issue.record(
                "the wrong entity was not refused as such: \(String(describing: wrongType))")
        }
        guard case .wrongContext = wrongContext else {
            Issue.record("the other context was not refused as such")
            return
        }
    }
}

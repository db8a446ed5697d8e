import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct Fetching {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
        for number in 1...6 {
            let entity = number.isMultiple(of: 3) ? "LiveTrack" : "Track"
            let track = try context.insertNewObject(forEntityName: entity)
            try track.setValue(number, forKey: "number")
            try track.setValue("Track \(number)", forKey: "title")
        }
        try context.save()
    }

    private func request(
        _ format: String? = nil, sortedBy key: String? = "number", ascending: Bool = true
    ) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>("Track")
        request.predicate = try format.map { try FetchPredicate(format: $0) }
        request.sortDescriptors = key.map { [FetchSortDescriptor($0, ascending: ascending)] } ?? []
        return request
    }

    private func numbers(_ request: FetchRequest<ManagedObject>) throws -> [Int64] {
        let results = try context.fetch(request)
        return try results.map { try $0.value(forKey: "number") as? Int64 ?? 0 }
    }

    @Test func `finds, sorts and pages`() throws {
        var page = try request("number > 1", ascending: false)
        page.fetchOffset = 1
        page.fetchLimit = 2

        #expect(try numbers(page) == [5, 4])
        #expect(try context.count(for: page) == 2)
    }

    @Test func `leaves subentities out if asked to`() throws {
        var own = try request()
        own.includesSubentities = false

        #expect(try numbers(own) == [1, 2, 4, 5])
        #expect(try context.count(for: own) == 4)
    }

    @Test func `creates objects when they are accessed, one per ID`() throws {
        let other = try stack.context()
        let results = try other.fetch(try request())
        let before = other.registeredObjects.count

        let first = results[0]
        let again = try other.fetch(try request("number == 1")).first

        #expect(before == 0)
        #expect(other.registeredObjects.count == 1)
        #expect(first === again)
        #expect(!first.isFault)
    }

    @Test func `returns faults if only faults are requested`() throws {
        let other = try stack.context()
        var faults = try request()
        faults.returnsObjectsAsFaults = true

        let results = try other.fetch(faults)

        #expect(results[2].isFault)
        #expect(try results[2]["number"] == 3)
        #expect(!results[2].isFault)
    }

    @Test func `shows new, changed and deleted objects of the context`() throws {
        let tracks = try context.fetch(try request())
        let new = try context.insertNewObject(forEntityName: "Track")
        try new.setValue(0, forKey: "number")
        try tracks[0].setValue(40, forKey: "number")
        try context.delete(tracks[1])

        let small = try numbers(try request("number < 10"))
        let all = try numbers(try request())
        let count = try context.count(for: try request("number < 10"))

        #expect(small == [0, 3, 4, 5, 6])
        #expect(all == [0, 3, 4, 5, 6, 40])
        #expect(count == 5)
    }

    @Test func `pages after unsaved changes are applied`() throws {
        let tracks = try context.fetch(try request())
        try context.delete(tracks[0])
        try context.delete(tracks[1])
        let new = try context.insertNewObject(forEntityName: "Track")
        try new.setValue(4, forKey: "number")
        var page = try request()
        page.fetchOffset = 1
        page.fetchLimit = 3

        #expect(try numbers(page) == [4, 4, 5])
    }

    @Test func `shows only stored objects if asked to`() throws {
        _ = try context.insertNewObject(forEntityName: "Track")
        var stored = try request()
        stored.includesPendingChanges = false

        #expect(try numbers(stored) == [1, 2, 3, 4, 5, 6])
        #expect(try context.count(for: stored) == 6)
    }

    @Test func `keeps the values that an object already has`() throws {
        let track = try context.fetch(try request("number == 1"))[0]
        let other = try stack.context()
        try other.fetch(try request("number == 1"))[0].setValue("Theirs", forKey: "title")
        try other.save()

        let again = try context.fetch(try request("number == 1"))[0]

        #expect(again === track)
        #expect(try again["title"] == "Track 1")
    }

    @Test func `prefetches relationships`() throws {
        let album = try context.insertNewObject(forEntityName: "Album")
        let tracks = try context.fetch(try request())
        try album.setValue(Array(tracks), forKey: "tracks")
        try context.save()
        let other = try stack.context()
        var albums = FetchRequest<ManagedObject>("Album")
        albums.relationshipKeyPathsForPrefetching = ["tracks.tags"]

        let results = try other.fetch(albums)
        stack.source.resetCounts()
        let count = try results[0].orderedObjects("tracks").count

        #expect(count == 6)
        #expect(stack.source.count("relatedIDs") == 0)
    }

    @Test func `names an unknown key and the nearest one`() throws {
        let error = #expect(throws: GraphError.self) {
            _ = try context.fetch(try request("numbre == 1"))
        }

        guard case .predicate(.unknownKey(let key, let entity, let nearest)) = error else {
            Issue.record("no unknown key: \(String(describing: error))")
            return
        }
        #expect([key, entity, nearest] == ["numbre", "Track", "number"])
    }

    @Test func `names an unknown entity and the known ones`() throws {
        let error = #expect(throws: GraphError.self) {
            _ = try context.fetch(FetchRequest<ManagedObject>("Trak"))
        }

        guard case .unknownEntity(let name, let known) = error else {
            Issue.record("no unknown entity: \(String(describing: error))")
            return
        }
        #expect(name == "Trak")
        #expect(known.contains("Track"))
    }

    @Test func `returns objects of the class registered for the entity`() throws {
        let other = try stack.context(classes: ObjectClasses([Track.self, LiveTrack.self]))
        var request = FetchRequest<Track>()
        request.sortDescriptors = [FetchSortDescriptor("number")]

        let tracks = try other.fetch(request)
        let live = tracks[2]

        #expect(tracks.count == 6)
        #expect(tracks[0].trackNumber == 1)
        #expect(live is LiveTrack)
    }

    @Test func `finds the entity of a class that is not registered`() throws {
        let other = try stack.context()

        let tracks: [Track] = try other.fetch(FetchRequest<Track>())

        #expect(tracks.count == 6)
    }

    private class Track: ManagedObject {
        @Managed var trackNumber: Int64
        override class var modelNames: [String: String] { ["trackNumber": "number"] }
    }
    private final class LiveTrack: Track {}
}

import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnRows
@testable import CairnStack

/// Operations that cost no more with many members than with few. The tests count reads instead of measuring
/// time.
@Suite struct `A relationship with many members` {
    private static let memberCount = 20_000
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
    }

    /// Saves an object with members, and returns it as a fault of another context.
    private func saved(
        _ owner: String, _ relationship: String, of member: String
    ) throws -> (owner: ManagedObject, members: [ObjectID], context: ManagedObjectContext) {
        let object = try context.insertNewObject(forEntityName: owner)
        if owner == "Artist" { try object.setValue("Nina", forKey: "name") }
        var members: [ManagedObject] = []
        for _ in 0..<Self.memberCount {
            members.append(try context.insertNewObject(forEntityName: member))
        }
        try object.setValue(members, forKey: relationship)
        try context.save()
        let other = try stack.context()
        let fault = try other.existingObject(with: object.objectID)
        stack.source.resetCounts()
        return (fault, members.map(\.objectID), other)
    }

    private var membersRead: Int { stack.source.count("members read") }
    private var rowsRead: Int { stack.source.count("rows read") }

    @Test func `adds, removes and finds a member without reading the others`() throws {
        let (artist, albums, other) = try saved("Artist", "albums", of: "Album")
        let set = try artist.objects("albums")
        let new = try other.insertNewObject(forEntityName: "Album")
        let first = try other.object(with: albums[0])
        let last = try other.object(with: albums[albums.count - 1])

        try set.insert(new)
        try set.remove(first)
        let contains = try [new, first, last].map(set.contains)

        #expect(contains == [true, false, true])
        #expect(membersRead == 0)
        #expect(rowsRead <= 2, "the rows of the two members that say where they belong")
        try other.save()
        #expect(membersRead == 0)
        let third = try stack.context()
        let all = try third.object(with: artist.objectID).objects("albums").count
        #expect(all == Self.memberCount)
    }

    @Test func `at both ends adds, removes and finds a member without reading the others`() throws {
        let (tag, tracks, other) = try saved("Tag", "tracks", of: "Track")
        let set = try tag.objects("tracks")
        let new = try other.insertNewObject(forEntityName: "Track")
        let first = try other.object(with: tracks[0])
        let last = try other.object(with: tracks[tracks.count - 1])
        let stranger = try other.insertNewObject(forEntityName: "Track")
        try other.obtainPermanentIDs(for: [stranger])

        let before = try set.contains(last)
        try set.insert(new)
        try set.remove(first)
        let contains = try [new, first, last, stranger].map(set.contains)

        #expect(before)
        #expect(contains == [true, false, true, false])
        #expect(membersRead == 0)
        #expect(rowsRead == 0)
        try other.save()
        #expect(membersRead == 0)
        let third = try stack.context()
        let all = try third.object(with: tag.objectID).objects("tracks").count
        #expect(all == Self.memberCount)
    }

    /// The steps that grow with the number of members: building an index of them, and checking their IDs.
    @Test func `adds a new member to known ones without looking at them`() throws {
        let (artist, _, other) = try saved("Artist", "albums", of: "Album")
        let set = try artist.objects("albums")
        let known = set.count

        let steps = try StepCounter.steps {
            for _ in 0..<3 {
                try set.insert(try other.insertNewObject(forEntityName: "Album"))
                try other.save()
            }
        }
        // An object with a permanent ID may be a stored member, so an index is built, once.
        let album = try other.insertNewObject(forEntityName: "Album")
        try other.obtainPermanentIDs(for: [album])
        let stepsOfIndex = try StepCounter.steps {
            try set.insert(album)
            try other.save()
        }

        #expect(known == Self.memberCount)
        #expect(set.count == Self.memberCount + 4)
        #expect(steps < 100, "no known member was looked at")
        #expect(stepsOfIndex >= Self.memberCount)
    }

    @Test func `grows and shrinks one by one`() throws {
        let artist = try context.insertNewObject(forEntityName: "Artist")
        let set = try artist.objects("albums")
        var albums: [ManagedObject] = []
        for _ in 0..<Self.memberCount {
            let album = try context.insertNewObject(forEntityName: "Album")
            albums.append(album)
            try set.insert(album)
        }
        let grown = set.count
        // Removing the oldest first must not shift the remaining members each time.
        for album in albums.dropLast(2) { try set.remove(album) }

        #expect(grown == Self.memberCount)
        #expect(try set.objectIDs() == albums.suffix(2).map(\.objectID))
    }
}

@Suite struct `IDs in order` {
    @Test func `keep their order when some are removed and added again`() {
        func id(_ key: Int64) -> ObjectID {
            ObjectID(
                store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(1),
                entity: EntityNumber(1), key: key)
        }
        var ids = OrderedIDs((1...100).map { id($0) })

        let removals = (2...99).map { ids.remove(id($0)) }
        ids.append(id(5))
        ids.append(id(1))
        let missing = ids.remove(id(6))

        #expect(!removals.contains(false))
        #expect(!missing)
        #expect(ids.ids == [id(1), id(100), id(5)])
        #expect(ids.count == 3)
        #expect(ids.contains(id(5)))
        #expect(!ids.contains(id(6)))
    }
}

@Suite struct `An ordered relationship` {
    private let context: ManagedObjectContext
    private let album: ManagedObject
    private let tracks: [ManagedObject]

    init() throws {
        let context = try MusicStack().context()
        let album = try context.insertNewObject(forEntityName: "Album")
        let tracks = try (0..<6).map { number in
            let track = try context.insertNewObject(forEntityName: "Track")
            try track.setValue("\(number)", forKey: "title")
            return track
        }
        try album.setValue(Array(tracks.prefix(5)), forKey: "tracks")
        try context.save()
        (self.context, self.album, self.tracks) = (context, album, tracks)
    }

    private func order(
        _ change: (OrderedObjects<ManagedObject>) throws -> Void
    ) throws -> String {
        try change(try album.mutableOrderedSetValue(forKey: "tracks"))
        try context.save()
        let titles = try album.value(forKeyPath: "tracks.title") as? [String]
        return titles?.joined() ?? ""
    }

    @Test func `moves, exchanges, replaces and removes members by index`() throws {
        #expect(try order { try $0.moveMembers(at: [0, 3, 9], to: 2) } == "12034")
        #expect(try order { try $0.exchangeMembers(at: 0, and: 4) } == "42031")
        #expect(try order { try $0.exchangeMembers(at: 0, and: 5) } == "42031")
        #expect(try order { try $0.replaceMember(at: 1, with: tracks[5]) } == "45031")
        #expect(try order { try $0.replaceMember(at: 3, with: tracks[4]) } == "5041")
        #expect(try order { try $0.replaceMember(at: 0, with: tracks[1]) } == "104")
        #expect(try order { try $0.remove(at: 1) } == "14")
        #expect(try order { try $0.remove(at: 7) } == "14")
        #expect(try order { try $0.insert(contentsOf: [tracks[4], tracks[0]], at: 0) } == "401")
        #expect(try order { try $0.insert(contentsOf: [tracks[2]], at: 99) } == "4012")
        #expect(try album.orderedObjects("tracks").index(of: tracks[1]) == 2)
        #expect(try album.orderedObjects("tracks").index(of: tracks[5]) == nil)
    }

    @Test func `forms unions and intersections with a set`() throws {
        let tag = try context.insertNewObject(forEntityName: "Tag")
        let set = try tag.mutableSetValue(forKey: "tracks")
        try set.formUnion(tracks)
        try set.subtract(tracks.prefix(2))
        try set.formIntersection(tracks.prefix(4))
        let kept = Set(set)
        try set.replaceAll(with: [tracks[5]])

        #expect(kept == [tracks[2], tracks[3]])
        #expect(Array(set) == [tracks[5]])
        #expect(try tracks[2].objects("tags").isEmpty)
    }
}

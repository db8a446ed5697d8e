import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

private final class Track: ManagedObject {
    override class var slotNames: [String] { ["title", "album"] }
    var title: String? { string(at: 0) }
    var album: Album? { object(at: 1, as: Album.self) }
}
private final class Album: ManagedObject {
    override class var slotNames: [String] { ["title"] }
    var title: String? { string(at: 0) }
}

@Suite struct `To-ones read by slot` {
    private let context: ManagedObjectContext
    private let track: Track
    private let album: Album

    init() throws {
        context = try MusicStack().context(classes: ObjectClasses([Track.self, Album.self]))
        track = try context.insert(Track.self)
        album = try context.insert(Album.self)
        try track.setValue(album, forKey: "album")
        try context.save()
        try context.refresh(track, mergeChanges: false)
        _ = track.title
    }

    @Test func `are the one object with their ID, as any of its classes`() {
        let found = (track.album, track.object(at: 1), track.object(at: 1, as: ManagedObject.self))

        #expect(found.0 === album && found.1 === album && found.2 === album)
        #expect(track.object(at: 1, as: Track.self) == nil)
    }

    @Test func `are another object or nil as soon as that is set`() throws {
        let second = try context.insert(Album.self)
        try track.setValue(second, forKey: "album")
        let changed = track.album
        try track.setValue(nil, forKey: "album")
        let removed = track.album
        context.rollback()
        let restored = track.album

        #expect(changed === second)
        #expect(removed == nil)
        #expect(restored === album)
    }
}

@Suite struct `Objects found by ID` {
    @Test func `are those that somebody holds, by either of their IDs`() throws {
        let context = try MusicStack().context(classes: ObjectClasses([Track.self]))
        let new = try context.insert(Track.self)
        let temporary = new.objectID
        let asNew = context.registeredObject(for: temporary)
        try context.obtainPermanentIDs(for: [new])
        let id = new.objectID
        let far = ObjectID(
            store: id.store, rootEntity: id.rootEntity, entity: id.entity, key: 1 << 40)
        let elsewhere = ObjectID(
            store: id.store, rootEntity: EntityNumber(1), entity: EntityNumber(1), key: id.key)
        let absent = [far, elsewhere].map { context.registeredObject(for: $0) == nil }
        let fault = try context.object(with: far)

        #expect(asNew === new)
        #expect(context.registeredObject(for: temporary) === new)
        #expect(context.registeredObject(for: id) === new)
        #expect(context.registeredObject(for: far) === fault)
        #expect(absent == [true, true])
    }
}

@Suite struct `Integers read by slot` {
    private static let meter = EntityDescription(
        "Meter",
        [
            .attribute("a", .integer16), .attribute("b", .integer32), .attribute("c", .integer64),
            .attribute("d", .string),
        ])

    @Test(arguments: [
        [Int64(Int16.min), Int64(Int32.min), .min], [Int64(Int16.max), Int64(Int32.max), .max],
        [-1, -2, -3], [0, 0, 0],
    ])
    func `have their value, whatever their width and adjacent values`(
        _ values: [Int64]
    ) throws {
        let context = try MusicStack([Self.meter]).context()
        let meter = try context.insertNewObject(forEntityName: "Meter")
        for (name, value) in zip(["a", "b", "c"], values) {
            try meter.set(.integer(value), at: try #require(meter.slot(named: name)))
        }
        try context.save()
        try context.refresh(meter, mergeChanges: false)
        try context.fireFaults(of: [meter])

        let read = try ["a", "b", "c"].map { meter.int64(at: try #require(meter.slot(named: $0))) }

        #expect(read == values)
    }

    @Test func `are 0 if they are nil`() throws {
        let context = try MusicStack([Self.meter]).context()
        let meter = try context.insertNewObject(forEntityName: "Meter")
        try context.save()
        try context.refresh(meter, mergeChanges: false)
        try context.fireFaults(of: [meter])

        let read = try ["a", "b", "c"].map { meter.int64(at: try #require(meter.slot(named: $0))) }

        #expect(read == [0, 0, 0])
    }
}

import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

private final class Track: ManagedObject {
    @Managed var title: String?
    @Managed var album: Album?
}
private final class Album: ManagedObject {
    @Managed var title: String?
}
private final class Meter: ManagedObject {
    @Managed var a: Int16
    @Managed var b: Int32
    @Managed var c: Int64
}

@Suite struct `To-ones of managed properties` {
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

    @Test func `are the one object with their ID`() {
        let found = track.album

        #expect(found === album)
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

@Suite struct `Integers of managed properties` {
    private static let meter = EntityDescription(
        "Meter",
        [
            .attribute("a", .integer16), .attribute("b", .integer32), .attribute("c", .integer64),
            .attribute("d", .string),
        ])

    private func meter() throws -> (Meter, ManagedObjectContext) {
        let context = try MusicStack([Self.meter]).context()
        return (try context.insert(Meter.self), context)
    }

    /// Saves the object, reads its row again, and returns its values.
    private func stored(_ meter: Meter, in context: ManagedObjectContext) throws -> [Int64] {
        try context.save()
        try context.refresh(meter, mergeChanges: false)
        try context.fireFaults(of: [meter])
        return [Int64(meter.a), Int64(meter.b), meter.c]
    }

    @Test(arguments: [
        [Int64(Int16.min), Int64(Int32.min), .min], [Int64(Int16.max), Int64(Int32.max), .max],
        [-1, -2, -3], [0, 0, 0],
    ])
    func `have their value, whatever their width and adjacent values`(
        _ values: [Int64]
    ) throws {
        let (meter, context) = try meter()
        (meter.a, meter.b, meter.c) = (Int16(values[0]), Int32(values[1]), values[2])

        let read = try stored(meter, in: context)

        #expect(read == values)
    }

    @Test func `are 0 if they are nil`() throws {
        let (meter, context) = try meter()

        let read = try stored(meter, in: context)

        #expect(read == [0, 0, 0])
    }
}

import CairnModel
import Foundation
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Values by name` {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context()
    }

    @Test func `begin as the model's defaults`() throws {
        let track = try context.insertNewObject(forEntityName: "Track")

        #expect(try track["number"] == 1)
        #expect(try track["title"] == .null)
        #expect(try track.value(forKey: "album") == nil)
        #expect(try track.objects("tags").isEmpty)
    }

    @Test func `follow a to-one without fetching it`() throws {
        let album = try context.insertNewObject(forEntityName: "Album")
        let track = try context.insertNewObject(forEntityName: "LiveTrack")
        try track.setValue(album, forKey: "album")
        try context.save()
        let other = try stack.context()
        let seen = try other.existingObject(with: track.objectID)

        let found = try seen.value(forKey: "album") as? ManagedObject

        #expect(found?.objectID == album.objectID)
        #expect(found?.isFault == true)
    }

    @Test func `are accepted if they fit`() throws {
        let artist = try context.insertNewObject(forEntityName: "Artist")
        let album = try context.insertNewObject(forEntityName: "Album")

        try artist.setValue(1999, forKey: "founded")
        try album.setValue(3, forKey: "rating")
        try album.setValue(Int8(2), forKey: "price")
        try album.setValue(Optional<String>.none, forKey: "title")

        #expect(try artist.value(forKey: "founded") as? Int64 == 1999)
        #expect(try album["rating"] == 3.0)
        #expect(try album["price"] == .decimal(2))
        #expect(try album["title"] == .null)
    }

    @Test func `are converted from numbers of other types, and from nested nils`() throws {
        let artist = try context.insertNewObject(forEntityName: "Artist")
        let album = try context.insertNewObject(forEntityName: "Album")

        try artist.setValue(Float(1999), forKey: "founded")
        try artist.setValue(NSNumber(value: 2000), forKey: "founded")
        try album.setValue(NSDecimalNumber(string: "1.5"), forKey: "price")
        try album.setValue(String??.some(.none) as Any, forKey: "title")

        #expect(try artist["founded"] == 2000)
        #expect(try album["price"] == .decimal(Decimal(string: "1.5") ?? 0))
        #expect(try album["title"] == .null)
    }

    @Test func `of a to-many are accepted from any sequence of objects`() throws {
        let track = try context.insertNewObject(forEntityName: "Track")
        let other = try context.insertNewObject(forEntityName: "Track")
        let tags = try (0..<3).map { _ in try context.insertNewObject(forEntityName: "Tag") }
        let found: FetchResults<ManagedObject> = try context.fetch(FetchRequest("Tag"))

        try track.setValue(found, forKey: "tags")
        #expect(Set(try track.objects("tags")) == Set(tags))
        try track.setValue(tags[1...], forKey: "tags")
        #expect(Set(try track.objects("tags")) == Set(tags[1...]))
        try other.setValue(try track.objects("tags"), forKey: "tags")
        #expect(Set(try other.objects("tags")) == Set(tags[1...]))
        for wrong in ["", [:] as [String: Int], 1...2] as [any Sendable] {
            #expect(throws: GraphError.self) { try track.setValue(wrong, forKey: "tags") }
        }
    }

    @Test(
        arguments: [
            ("Artist", "founded", Int64(Int32.max) + 1), ("Artist", "founded", "1999"),
            ("Artist", "founded", 1e10), ("Artist", "founded", Double.nan),
            ("Artist", "founded", Double.infinity), ("Artist", "name", 1),
            ("Album", "released", 5.0), ("Album", "artist", "Nina"), ("Album", "tracks", 3),
        ] as [(String, String, any Sendable)])
    func `are refused if they do not fit`(
        _ entity: String, _ key: String, _ value: any Sendable
    ) throws {
        let object = try context.insertNewObject(forEntityName: entity)

        let error = #expect(throws: GraphError.self) { try object.setValue(value, forKey: key) }

        guard case .wrongType(entity, key, _, _) = error else {
            Issue.record("not the type: \(String(describing: error))")
            return
        }
    }

    @Test func `report a wrong name with the nearest known one`() throws {
        let artist = try context.insertNewObject(forEntityName: "Artist")

        let error = #expect(throws: GraphError.self) { try artist.value(forKey: "nmae") }

        guard case .unknownProperty("Artist", "nmae", let nearest) = error else {
            Issue.record("not the name: \(String(describing: error))")
            return
        }
        #expect(nearest == "name")
    }

    @Test func `follow paths through to-ones`() throws {
        let artist = try context.insertNewObject(forEntityName: "Artist")
        let album = try context.insertNewObject(forEntityName: "Album")
        let track = try context.insertNewObject(forEntityName: "Track")
        try artist.setValue("Nina", forKey: "name")
        try track.setValue(album, forKey: "album")
        let before = try track.value(forKeyPath: "album.artist.name")

        try album.setValue(artist, forKey: "artist")

        #expect(before == nil)
        #expect(try track.value(forKeyPath: "album.artist.name") as? String == "Nina")
        #expect(throws: GraphError.self) { try track.value(forKeyPath: "album..name") }
    }

    @Test func `that are transient live with the object and are not saved`() throws {
        let artist = try context.insertNewObject(forEntityName: "Artist")
        try artist.setValue("Nina", forKey: "name")
        try artist.setValue("Nin", forKey: "nickname")
        try context.save()

        let other = try stack.context()
        let seen = try other.existingObject(with: artist.objectID)

        #expect(try artist["nickname"] == "Nin")
        #expect(try seen["nickname"] == .null)
    }

    @Test func `include changed values and committed values`() throws {
        let album = try context.insertNewObject(forEntityName: "Album")
        try album.setValue("Blue", forKey: "title")
        let whenNew = album.changedValues()
        try context.save()

        try album.setValue("Green", forKey: "title")
        try album.setValue(2.0, forKey: "rating")
        try album.setValue([try context.insertNewObject(forEntityName: "Track")], forKey: "tracks")
        let changed = album.changedValues()

        #expect(whenNew == ["title": "Blue"])
        #expect(changed == ["title": "Green", "rating": 2.0])
        #expect(album.changedToManyRelationships() == ["tracks"])
        #expect(album.committedValues(forKeys: ["title", "rating"])["title"] == "Blue")
        #expect(album.committedValues(forKeys: ["rating"]) == ["rating": .null])
    }

    @Test func `a value that is set back to the stored one is not a change`() throws {
        let album = try context.insertNewObject(forEntityName: "Album")
        try album.setValue("Blue", forKey: "title")
        try context.save()

        try album.setValue("Green", forKey: "title")
        try album.setValue("Blue", forKey: "title")

        #expect(album.changedValues().isEmpty)
    }

    @Test func `objects of an abstract entity are refused`() throws {
        let error = #expect(throws: GraphError.self) {
            _ = try context.insertNewObject(forEntityName: "Thing")
        }

        guard case .abstractEntity("Thing") = error else {
            Issue.record("not abstract: \(String(describing: error))")
            return
        }
    }
}

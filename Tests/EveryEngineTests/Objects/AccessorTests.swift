import Cairn
import Foundation
import GraphSupport
import Testing

/// A class as an application would write it, with its own accessors and a computed transient attribute.
private final class Song: ManagedObject {
    var title: String? {
        get {
            willAccessValue(forKey: "title")
            defer { didAccessValue(forKey: "title") }
            return primitiveValue(forKey: "title") as? String
        }
        set {
            willChangeValue(forKey: "title")
            try? setPrimitiveValue(newValue?.uppercased(), forKey: "title")
            didChangeValue(forKey: "title")
        }
    }

    override func computedValue(ofTransient key: String) -> Value? {
        key == "shout" ? title.map { .string($0 + "!") } : nil
    }
}

private final class Tune: ManagedObject {
    @Managed var title: String?
    @Managed var small: Int16
    @Managed var middle: Int32
    @Managed var large: Int64?
    @Managed var rating: Double
    @Managed var weight: Float
    @Managed var isLive: Bool
    @Managed var day: Date?
    @Managed var code: UUID?
    @Managed var price: Decimal?
    @Managed var page: URL?
    @Managed var sample: Data?
    @Managed var next: Tune?
}

@Suite struct Accessors {
    private static func transient(_ name: String) -> PropertyDescription {
        var attribute = AttributeDescription(name, .string)
        attribute.isTransient = true
        return .attribute(attribute)
    }

    private static func stack(_ type: StoreType) throws -> StudioStack {
        try StudioStack(
            type,
            [
                EntityDescription(
                    "Song",
                    [
                        .attribute("title", .string), .attribute("small", .integer16),
                        .attribute("middle", .integer32), .attribute("large", .integer64),
                        .attribute("rating", .double), .attribute("weight", .float),
                        .attribute("isLive", .boolean), .attribute("day", .date),
                        .attribute("code", .uuid), .attribute("price", .decimal),
                        .attribute("page", .uri), .attribute("sample", .binary),
                        transient("shout"), transient("note"),
                        .toOne("next", "Song", inverse: "previous"),
                        .toOne("previous", "Song", inverse: "next"),
                    ])
            ])
    }

    @Test(arguments: everyEngine)
    func `of an application store the value that they compute`(_ type: StoreType) throws {
        let stack = try Self.stack(type)
        let classes = ObjectClasses([Song.self])
        try stack.inContext(classes: classes) { context in
            let song = try context.insert(Song.self)
            song.title = "Blue"
            try context.save()
            song.title = "Green"
            #expect(song.isUpdated)
            try context.save()
        }

        try stack.inContext(classes: classes) { context in
            let song: [Song] = try context.fetch(FetchRequest<Song>())

            #expect(song[0].title == "GREEN")
            #expect(try song[0].value(forKey: "shout") as? String == "GREEN!")
            #expect(try song[0].value(forKeyPath: "shout") as? String == "GREEN!")
        }
    }

    @Test(arguments: everyEngine)
    func `of primitive values fire no faults and notify nobody`(_ type: StoreType) throws {
        let stack = try Self.stack(type)
        try stack.inContext { context in
            let song = try context.insert("Song", ["title": "Blue"])
            try context.save()
            try context.refresh(song, mergeChanges: false)
            let ofFault = song.primitiveValue(forKey: "title")
            let wasFault = song.isFault
            song.willAccessValue(forKey: nil)
            try song.setPrimitiveValue("Green", forKey: "title")
            try song.setPrimitiveValue("x", forKey: "note")

            #expect(ofFault == nil)
            #expect(wasFault)
            #expect(song.primitiveValue(forKey: "title") as? String == "Green")
            #expect(try song["note"] == "x")
            #expect(!song.hasChanges)
            #expect(throws: GraphError.self) { try song.setPrimitiveValue(1, forKey: "title") }
        }
    }

    @Test(arguments: everyEngine)
    func `of managed properties set every type`(_ type: StoreType) throws {
        let stack = try Self.stack(type)
        let code = UUID()
        let day = Date(timeIntervalSinceReferenceDate: 86_400)
        try stack.inContext(classes: ObjectClasses(byEntity: ["Song": Tune.self])) { context in
            let (song, other) = (try context.insert(Tune.self), try context.insert(Tune.self))
            other.title = "other"
            song.title = "Blue"
            (song.small, song.middle, song.large) = (-3, 70_000, .max)
            (song.rating, song.weight, song.isLive) = (0.5, 1.5, true)
            (song.day, song.code, song.price) = (day, code, 12)
            song.page = URL(string: "https://example.org")
            song.sample = Data([1, 2])
            song.next = other
            other.large = 1
            other.large = nil
            try context.save()
        }

        try stack.inContext { context in
            let song = try context.only("Song", where: "title == 'Blue'")
            let other = try context.only("Song", where: "title == 'other'")

            #expect(try song["small"] == .integer(-3))
            #expect(try song["middle"] == .integer(70_000))
            #expect(try song["large"] == .integer(.max))
            #expect(try song["rating"] == 0.5)
            #expect(try song["weight"] == .float(1.5))
            #expect(try song["isLive"] == true)
            #expect(try song["day"] == .date(day))
            #expect(try song["code"] == .uuid(code))
            #expect(try song["price"] == .decimal(12))
            #expect(
                try song["page"] == .uri(try #require(URL(string: "https://example.org"))))
            #expect(try song["sample"] == .binary(Data([1, 2])))
            #expect(try song["next"] == .objectID(other.objectID))
            #expect(try other["previous"] == .objectID(song.objectID))
            #expect(try other["large"] == .null)
        }
    }
}

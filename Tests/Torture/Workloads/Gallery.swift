import Cairn
import CairnTestSupport
import Foundation

/// Photos in albums, with tags: values of several sizes, some of them large enough for external files, an
/// ordered one-to-many relationship, a many-to-many relationship, and a unique value.
struct Gallery: Workload {
    static let name = "gallery"

    static var entities: [EntityDescription] {
        var pixels = AttributeDescription("pixels", .binary)
        pixels.allowsExternalBinaryDataStorage = true
        var photo = EntityDescription(
            "Photo",
            [
                .attribute("name", .string), .attribute("caption", .string),
                .attribute("pixelCount", .integer64), .attribute(pixels),
                .toOne("album", "Album", inverse: "photos"),
                .toMany("tags", "Tag", inverse: "photos"),
            ])
        photo.uniquenessConstraints = [["name"]]
        return [
            EntityDescription("Clock", [.attribute("step", .integer64)]),
            EntityDescription(
                "Album",
                [
                    .attribute("name", .string),
                    .toMany("photos", "Photo", inverse: "album", isOrdered: true),
                ]),
            photo,
            EntityDescription(
                "Tag", [.attribute("name", .string), .toMany("photos", "Photo", inverse: "tags")]),
        ]
    }

    struct Photo {
        var caption: String
        var pixelCount: Int
        var album: String?
        var tags: Set<String> = []
    }

    private let seed: UInt64
    private(set) var step = 0
    private var nextPhoto = 1
    private var photos: [String: Photo] = [:]
    /// The photos of each album, in order.
    private var albums: [String: [String]] = [:]
    private var tags: [String] = []

    init(seed: UInt64) { self.seed = seed }

    /// SQLite stores values over 100 KB in external files. LMDB has pages of 4 KB. Large values are rare,
    /// because debug builds read XML stores slowly.
    private static let pixelCounts = [0, 90, 90, 5_000, 5_000, 9_000, 9_000, 110_000]
    /// The maximum number of photos, regardless of the number of saves.
    private static let mostPhotos = 8

    mutating func advance() -> [any Edit] {
        step += 1
        var random = SeededRandom(seed: seed &+ UInt64(step) &* 0x9E37_79B9)
        var edits: [GalleryEdit] = [.setClock(step)]
        if step == 1 {
            edits += [.insertAlbum("a1"), .insertAlbum("a2"), .insertTag("t1"), .insertTag("t2")]
            albums = ["a1": [], "a2": []]
            tags = ["t1", "t2"]
        }
        let old = photos.keys.sorted()
        if old.count >= Self.mostPhotos || old.count > 3 && step % 3 == 0 {
            edits += old.shuffled(using: &random).prefix(2).map { remove($0) }
        }
        edits += (0..<(step == 1 ? 3 : 1)).map { _ in insert(&random) }
        for name in photos.keys.sorted().shuffled(using: &random).prefix(3) {
            edits.append(change(name, &random))
        }
        if step % 4 == 0 { edits.append(reverse("a1")) }
        return edits
    }

    private mutating func insert(_ random: inout SeededRandom) -> GalleryEdit {
        let name = "p\(nextPhoto)"
        nextPhoto += 1
        let count = Self.pixelCounts.randomElement(using: &random) ?? 0
        let album = Bool.random(using: &random) ? "a1" : "a2"
        photos[name] = Photo(caption: "new in \(step)", pixelCount: count, album: album)
        albums[album, default: []].append(name)
        return .insertPhoto(name, caption: "new in \(step)", pixelCount: count, album: album)
    }

    private mutating func remove(_ name: String) -> GalleryEdit {
        if let album = photos.removeValue(forKey: name)?.album {
            albums[album]?.removeAll { $0 == name }
        }
        return .deletePhoto(name)
    }

    private mutating func change(_ name: String, _ random: inout SeededRandom) -> GalleryEdit {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            photos[name]?.caption = "changed in \(step)"
            return .setCaption(name, "changed in \(step)")
        case 1:
            let count = Self.pixelCounts.randomElement(using: &random) ?? 0 + step % 50
            photos[name]?.pixelCount = count
            return .setPixels(name, count)
        case 2:
            let tag = Bool.random(using: &random) ? "t1" : "t2"
            photos[name]?.tags.formSymmetricDifference([tag])
            return .setTags(name, photos[name]?.tags ?? [])
        default:
            let album = Bool.random(using: &random) ? "a2" : nil
            guard let old = photos[name]?.album, old != album else {
                return .setCaption(name, photos[name]?.caption ?? "")
            }
            albums[old]?.removeAll { $0 == name }
            photos[name]?.album = album
            if let album { albums[album]?.append(name) }
            return .move(name, album)
        }
    }

    private mutating func reverse(_ album: String) -> GalleryEdit {
        albums[album]?.reverse()
        return .order(album, albums[album] ?? [])
    }

    /// Returns the bytes of a photo of the given size, which differ for each photo and size. Created without
    /// a loop, which would be slow in a debug build.
    static func pixels(_ name: String, _ count: Int) -> Data {
        let title = Data("\(name) \(count) ".utf8).prefix(count)
        let filling = title.reduce(UInt8(7)) { $0 &* 31 &+ $1 }
        return title + Data(repeating: filling, count: count - title.count)
    }
}

// MARK: Texts

extension Gallery {
    var texts: [String] {
        guard step > 0 else { return [] }
        let photoTexts = photos.map { name, photo in
            "Photo \(name) “\(photo.caption)” \(photo.pixelCount) in \(photo.album ?? "none")"
                + " \(photo.tags.sorted())"
        }
        let tagTexts = tags.map { tag in
            "Tag \(tag) \(photos.filter { $0.value.tags.contains(tag) }.keys.sorted())"
        }
        return
            (["Clock \(step)"] + photoTexts + tagTexts
            + albums.map { "Album \($0.key) \($0.value)" }).sorted()
    }

    static func read(_ context: ManagedObjectContext) throws -> [String] {
        try entities.flatMap { try context.all($0.name).map(text(of:)) }.sorted()
    }

    static func readStep(_ context: ManagedObjectContext) throws -> Int {
        try context.all("Clock").first.map { try $0.value(forKey: "step") as? Int64 ?? 0 }
            .map(Int.init) ?? 0
    }

    static func text(of object: ManagedObject) throws -> String {
        func string(_ key: String, of object: ManagedObject) throws -> String {
            try object.value(forKey: key) as? String ?? "nil"
        }
        func names(_ objects: some Sequence<ManagedObject>) throws -> [String] {
            try objects.map { try string("name", of: $0) }
        }
        let entity = object.entity.name
        if entity == "Clock" { return "Clock \(try object.value(forKey: "step") ?? "nil")" }
        let name = try string("name", of: object)
        switch entity {
        case "Album": return "Album \(name) \(try names(object.orderedObjects("photos")))"
        case "Tag": return "Tag \(name) \(try names(object.objects("photos")).sorted())"
        default: break
        }
        let count = Int(try object.value(forKey: "pixelCount") as? Int64 ?? -1)
        let pixels = try object.value(forKey: "pixels") as? Data
        let isWhole = pixels == Self.pixels(name, max(count, 0))
        let album = try (object.value(forKey: "album") as? ManagedObject).map {
            try string("name", of: $0)
        }
        return "Photo \(name) “\(try string("caption", of: object))”"
            + " \(isWhole ? "\(count)" : "other bytes than its own")"
            + " in \(album ?? "none") \(try names(object.objects("tags")).sorted())"
    }
}

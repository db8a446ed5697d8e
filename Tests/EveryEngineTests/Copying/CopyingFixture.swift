import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// A coordinator with a model that contains every kind of relationship, and the content of its stores.
struct CopyingFixture {
    /// The engine of the source and the engine of the copy.
    struct Route: Sendable, CustomTestStringConvertible {
        let from: StoreType
        let to: StoreType

        var testDescription: String { "\(from) to \(to)" }
    }

    static let routes = everyEngine.flatMap { from in
        everyEngine.map { Route(from: from, to: $0) }
    }

    let coordinator: PersistentStoreCoordinator
    private let folder: TemporaryFolder
    private let layouts: RowLayouts

    init() throws {
        folder = try TemporaryFolder()
        let model = try Self.makeModel()
        layouts = RowLayouts(model)
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    }

    /// Returns the model. Albums order their songs, songs and lists order each other, and songs refer to
    /// similar songs.
    private static func makeModel() throws -> ManagedObjectModel {
        var cover = AttributeDescription("cover", .binary)
        cover.allowsExternalBinaryDataStorage = true
        return try ManagedObjectModel([
            EntityDescription(
                "Album",
                [
                    .attribute("title", .string), .attribute(cover),
                    .toMany("songs", "Song", inverse: "album", isOrdered: true),
                ]),
            EntityDescription(
                "List",
                [
                    .attribute("title", .string),
                    .toMany("entries", "Song", inverse: "lists", isOrdered: true),
                ]),
            EntityDescription(
                "Song",
                [
                    .attribute("title", .string), .attribute("seconds", .double),
                    .toOne("album", "Album", inverse: "songs"),
                    .toMany("lists", "List", inverse: "entries", isOrdered: true),
                    .toMany("similar", "Song", inverse: "similar"),
                ]),
        ])
    }

    func file(_ name: String) -> URL { folder.file(name) }

    /// Returns the names of the files in the folder, except those of the first store.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
            .filter { !$0.hasPrefix("source") }
    }

    func makeStore(_ type: StoreType) throws -> any PersistentStore {
        try coordinator.addPersistentStore(
            ofType: type, at: folder.url(of: type, "source"))
    }

    /// Saves songs to which no relationship leads.
    func insertSongs(_ count: Int, seconds: Double = 1) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for index in 0..<count {
                let song = try context.insertNewObject(forEntityName: "Song")
                try song.setValue("song \(index)", forKey: "title")
                try song.setValue(seconds, forKey: "seconds")
            }
            try context.save()
        }
    }

    /// Saves albums, songs and lists with every kind of relationship, changes some of them, and sets a value
    /// in the metadata.
    func fill(_ store: any PersistentStore) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let songs = try Self.objects("Song", 6, context)
            let albums = try Self.objects("Album", 2, context)
            let lists = try Self.objects("List", 2, context)
            // Large enough for an external file, if the engine uses such files.
            try albums[1].setValue(Data(repeating: 7, count: 300_000), forKey: "cover")
            try albums[0].setValue([songs[2], songs[0], songs[1]], forKey: "songs")
            try albums[1].setValue([songs[5], songs[3], songs[4]], forKey: "songs")
            try lists[0].setValue([songs[5], songs[0], songs[3]], forKey: "entries")
            try lists[1].setValue([songs[3], songs[1], songs[5]], forKey: "entries")
            try songs[5].setValue([lists[1], lists[0]], forKey: "lists")
            try songs[0].setValue(Set([songs[1]]), forKey: "similar")
            try songs[2].setValue(Set([songs[4]]), forKey: "similar")
            try context.save()
            try songs[4].setValue("changed", forKey: "title")
            try context.save()
        }
        try coordinator.setMetadata(["origin": "a test"], for: store)
    }

    private static func objects(
        _ entity: String, _ count: Int, _ context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        try (0..<count).map { index in
            let object = try context.insertNewObject(forEntityName: entity)
            try object.setValue("\(entity) \(index)", forKey: "title")
            return object
        }
    }

    /// The complete content of a store, in a form that can be compared with another store's.
    struct Contents: Equatable {
        /// The versions of the rows, by `Entity/key`.
        var versions: [String: Int64] = [:]
        var values: [String: [Value]] = [:]
        /// The members of each to-many relationship that has members, with their order keys, by
        /// `Entity/key.relationship`.
        var members: [String: [Member]] = [:]
    }

    /// A member of a to-many relationship. `orderKey` is `nil` if the relationship is unordered.
    struct Member: Equatable {
        var member: String
        var orderKey: Int64?
    }

    func contents(of store: any PersistentStore) throws -> Contents {
        let snapshot = try store.snapshot()
        var contents = Contents()
        for entity in store.request.model.entities {
            let cursor = try snapshot.cursor(FetchPlan(entity: entity))
            while let batch = try cursor.next(atMost: 100) {
                for row in batch.rows { try add(row, of: entity, snapshot, to: &contents) }
            }
        }
        return contents
    }

    private func add(
        _ row: Row, of entity: Entity, _ snapshot: any StoreSnapshot, to contents: inout Contents
    ) throws {
        let name = "\(entity.name)/\(row.key)"
        contents.versions[name] = row.version
        contents.values[name] = try values(of: row, snapshot)
        for relationship in entity.relationships where relationship.isToMany {
            let related = try snapshot.relatedIDs(relationship, of: [row.id])
            let members = related.members.enumerated().map { index, member in
                Member(
                    member: "\(member.entity.rawValue)/\(member.key)",
                    orderKey: relationship.isOrdered ? related.orderKeys[index] : nil)
            }
            if !members.isEmpty { contents.members["\(name).\(relationship.name)"] = members }
        }
    }

    private func values(of row: Row, _ snapshot: any StoreSnapshot) throws -> [Value] {
        let layout = layouts.layout(of: row.entity)
        return try (layout?.slots ?? []).map { slot in
            if row.isNull(slot) { return .null }
            switch slot.kind {
            case .toOne: return .integer(row.objectID(slot).key)
            case .externalBinary:
                switch row.externalBinary(slot) {
                case .inline(let data): return .binary(data)
                case .reference(let reference):
                    return .binary(try snapshot.externalData(reference))
                }
            default: return row.value(slot)
            }
        }
    }
}

import Cairn
import Foundation
import ServedStoreSupport
import Testing

/// A coordinator with a store that identifies songs by text, albums and tags by UUIDs, and bands by the value
/// of an attribute.
struct ReferredStack: Sendable {
    let coordinator: PersistentStoreCoordinator
    let store: any PersistentStore

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - path: The path under which the service keeps the store.
    ///   - host: Each host gives the objects different numbers, as different processes do.
    init(_ path: String, host: String = "localhost") throws {
        var registry = StoreRegistry.builtIn
        registry.register(ReferredStore.self)
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try Self.model(), registry: registry)
        store = try coordinator.addPersistentStore(
            ofType: ReferredStore.type, at: ServedHarness.url(path, host: host))
        guard host == "localhost" else { return }
        // Uses up some numbers, so that the objects' numbers differ from those of another host.
        for entity in coordinator.managedObjectModel.entities {
            for kind in ReferenceObject.Kind.allCases {
                _ = store.objectID(for: entity, referenceObject: kind.makeReference())
            }
        }
    }

    private static func model() throws -> ManagedObjectModel {
        var song = EntityDescription(
            "Song",
            [
                .attribute("title", .string), .attribute("plays", .integer64),
                .toOne("album", "Album", inverse: "songs"),
                .toMany("tags", "Tag", inverse: "songs", isOrdered: true),
            ])
        song.uniquenessConstraints = [["title"]]
        var band = EntityDescription(
            "Band", [.attribute("title", .string), .attribute("code", .string)])
        band.userInfo = ["reference": "code"]
        return try ManagedObjectModel([
            song, band,
            EntityDescription(
                "Album",
                [.attribute("title", .string), .toMany("songs", "Song", inverse: "album")]),
            EntityDescription(
                "Tag",
                [.attribute("title", .string), .toMany("songs", "Song", inverse: "tags")]),
        ])
    }

    /// Runs the body in a new context.
    func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    /// Saves an album with three songs, the first of which has two tags.
    ///
    /// - Returns: The URIs of the album, the songs and the tags.
    func fill() throws -> [URL] {
        try inContext { context in
            let album = try context.insert("Album", titled: "Agætis byrjun")
            let songs = try ["a", "b", "c"].map { try context.insert("Song", titled: $0) }
            let tags = try ["x", "y"].map { try context.insert("Tag", titled: $0) }
            for song in songs { try song.setValue(album, forKey: "album") }
            try songs[0].setValue(tags, forKey: "tags")
            try context.save()
            return ([album] + songs + tags).map { $0.objectID.uriRepresentation() }
        }
    }

    /// Returns the ID for a URI.
    func id(_ uri: URL) throws -> ObjectID {
        try #require(coordinator.managedObjectID(forURIRepresentation: uri))
    }

    /// Returns the titles of all songs, sorted.
    func songs() throws -> [String] {
        try inContext { context in
            try context.fetch(FetchRequest<ManagedObject>("Song")).map { try $0.title() }.sorted()
        }
    }
}

extension ManagedObjectContext {
    func insert(_ entity: String, titled title: String) throws -> ManagedObject {
        let object = try insertNewObject(forEntityName: entity)
        try object.setValue(title, forKey: "title")
        return object
    }
}

extension ManagedObject {
    func title() throws -> String { try value(forKey: "title") as? String ?? "" }
}

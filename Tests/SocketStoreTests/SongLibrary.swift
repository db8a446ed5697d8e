import Cairn
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import SocketStoreSupport
import Testing

/// A separate server for a test, with one store of songs that the test opens.
final class SongLibrary {
    let model: ManagedObjectModel
    private let folder: TemporaryFolder
    private(set) var server: SocketServerProcess

    init() throws {
        model = try Self.makeModel()
        folder = try TemporaryFolder()
        server = try SocketServerProcess(in: folder.file("server"))
    }

    static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                "Song",
                [
                    .attribute("title", .string), .attribute("year", .integer64),
                    .toOne("album", "Album", inverse: "songs"),
                    .toMany("singers", "Singer", inverse: "songs"),
                    .toMany("genres", "Genre", inverse: "songs"),
                ]),
            EntityDescription("Album", [.toMany("songs", "Song", inverse: "album")]),
            EntityDescription("Genre", [.toMany("songs", "Song", inverse: "genres")]),
            EntityDescription("Singer", [.toMany("songs", "Song", inverse: "singers")]),
        ])
    }

    var address: SocketAddress { server.address("songs") }
    var traffic: SocketTraffic { SocketTraffic.about(address) }

    func location() throws -> StoreLocation { try #require(address.location) }

    func open(timeout: Double = 60) throws -> SocketStore {
        try SocketStore.open(
            OpenRequest(
                location: try location(), model: model, options: [.timeout: .real(timeout)]))
    }

    /// Returns a coordinator with the store.
    func coordinator() throws -> PersistentStoreCoordinator {
        var registry = StoreRegistry.builtIn
        registry.register(SocketStore.self)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: registry)
        try coordinator.addPersistentStore(
            ofType: SocketStore.type, at: location().service?.urlWithPassword)
        return coordinator
    }

    /// Kills the server without giving it time to close its stores.
    func kill() { server.kill() }

    /// Starts another server with the same socket and stores.
    func restart() throws { server = try SocketServerProcess(in: server.folder) }
}

extension SocketStore {
    var song: Entity {
        get throws { try #require(request.model.entity(named: "Song")) }
    }

    /// Returns the ID of a song, which need not exist.
    func id(_ key: Int64) throws -> ObjectID {
        let song = try song.number
        return ObjectID(store: number, rootEntity: song, entity: song, key: key)
    }

    /// Returns packed songs, one for each key.
    func songs(_ keys: Range<Int64>) throws -> RowBatch {
        let layout = request.layouts.layout(of: try song)
        let slot = try #require(layout.slot(named: "title"))
        var writer = RowWriter(store: number)
        for key in keys {
            writer.begin(layout, key: key, version: 1)
            try writer.set("song \(key)", at: slot)
            writer.endRow()
        }
        return writer.takeBatch()
    }

    /// Saves `count` new songs, each with one of 50 albums, one of 20 singers and one of 10 genres.
    func insertRelatedSongs(_ count: Int) throws {
        let save = try beginSave()
        defer { save.rollback() }
        var changes = SaveRequest()
        var others: [String: [ObjectID]] = [:]
        for (name, count) in [("Album", 50), ("Singer", 20), ("Genre", 10)] {
            let rows = try emptyRows(name, count, in: save)
            changes.inserted.append(rows)
            others[name] = rows.ids
        }
        let song = try song
        let layout = request.layouts.layout(of: song)
        let slot = try #require(layout.slot(named: "album"))
        let keys = try #require(try save.reserveKeys([song.number: count])[song.number])
        var writer = RowWriter(store: number)
        for key in keys {
            let albums = try #require(others["Album"])
            writer.begin(layout, key: key, version: 1)
            let album = albums[Int(key) % albums.count]
            try writer.set(.objectID(album), at: slot, of: layout)
            writer.endRow()
            for (name, entity) in [("singers", "Singer"), ("genres", "Genre")] {
                let members = try #require(others[entity])
                changes.pairs.append(
                    try pair(name, try id(key), members[Int(key) % members.count]))
            }
        }
        changes.inserted.append(writer.takeBatch())
        try save.prepare(changes)
        _ = try save.commit()
    }

    /// Returns a new pair, described from the owning side.
    private func pair(
        _ name: String, _ song: ObjectID, _ member: ObjectID
    ) throws -> PairChange {
        let relationship = try #require(try self.song.relationship(named: name))
        let inverse = try #require(relationship.inverse)
        return relationship.ownsPairs
            ? PairChange(.insert, relationship, owner: song, member: member)
            : PairChange(.insert, inverse, owner: member, member: song)
    }

    private func emptyRows(
        _ name: String, _ count: Int, in save: any SaveTransaction
    ) throws -> RowBatch {
        let entity = try #require(request.model.entity(named: name))
        let keys = try #require(try save.reserveKeys([entity.number: count])[entity.number])
        var writer = RowWriter(store: number)
        for key in keys {
            writer.begin(request.layouts.layout(of: entity), key: key, version: 1)
            writer.endRow()
        }
        return writer.takeBatch()
    }

    /// Saves `count` new songs.
    func insertSongs(_ count: Int, _ id: SaveID? = nil) throws {
        let song = try song.number
        let begun = try beginSave(reserving: [song: count])
        let save = begun.transaction
        defer { save.rollback() }
        var request = SaveRequest(inserted: try songs(try #require(begun.keys[song])))
        request.id = id
        try save.prepare(request)
        _ = try save.commit()
    }

    func songCount(in snapshot: (any StoreSnapshot)? = nil) throws -> Int {
        let snapshot = try snapshot ?? self.snapshot()
        return try #require(try snapshot.count(FetchPlan(entity: try song)))
    }
}

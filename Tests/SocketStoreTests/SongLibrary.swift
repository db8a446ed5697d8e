import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import SocketStores
import Testing

/// A server of its own for a test, with one store of songs that the test opens.
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
                ]),
            EntityDescription("Album", [.toMany("songs", "Song", inverse: "album")]),
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

    /// Kills the server, so that it has no time to close its stores.
    func kill() { server.kill() }

    /// Starts another server with the same socket and the same stores.
    func restart() throws { server = try SocketServerProcess(in: server.folder) }
}

extension SocketStore {
    var song: Entity {
        get throws { try #require(request.model.entity(named: "Song")) }
    }

    /// The ID of a song, whether or not it has a row.
    func id(_ key: Int64) throws -> ObjectID {
        let song = try song.number
        return ObjectID(store: number, rootEntity: song, entity: song, key: key)
    }

    /// Packs songs, one for each key.
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

    /// Saves so many new songs.
    func insertSongs(_ count: Int) throws {
        let song = try song.number
        let save = try beginSave()
        defer { save.rollback() }
        let keys = try #require(try save.reserveKeys([song: count])[song])
        try save.prepare(SaveRequest(inserted: try songs(keys)))
        _ = try save.commit()
    }

    func songCount(in snapshot: (any StoreSnapshot)? = nil) throws -> Int {
        let snapshot = try snapshot ?? self.snapshot()
        return try #require(try snapshot.count(FetchPlan(entity: try song)))
    }
}

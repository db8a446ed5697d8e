import BenchmarkRows
import Foundation

/// The forms of the rows' items that only the libraries beside Cairn need.
extension StoreTemplates {
    /// Returns the items of a store in the form that the C baselines take. They are created once for each
    /// content and size.
    func arena(_ contents: Contents, size: Int) -> ItemArena {
        kept("arena-\(contents)-\(size)") {
            ItemArena(
                contents == .folders ? [] : values(size), folder: contents == .oneFolder ? 1 : nil)
        }
    }

    /// Returns a baseline with the rows of all items in memory. It is created once for each size. The caller
    /// must not change it.
    func memoryBaseline(size: Int) -> MemoryBaseline {
        kept("memory-\(size)") { newMemoryBaseline(.items, size: size) }
    }

    /// Returns a new baseline with the rows of the given content in memory.
    func newMemoryBaseline(_ contents: Contents, size: Int) -> MemoryBaseline {
        MemoryBaseline(arena(contents, size: size))
    }

    /// Returns the URL of a GRDB database with the given content. The caller must not change the database.
    ///
    /// - Throws: `DatabaseError`.
    func grdb(_ contents: Contents, size: Int) throws -> URL {
        try template("grdb-\(contents)-\(size)") { url in
            let peer = try GRDBPeer(url)
            try peer.createSchema()
            try peer.insertFolders(folderCount(contents, size))
            if contents != .folders {
                try peer.insert(values(size), folder: folder(contents, size))
            }
            try peer.pool.close()
        }
    }
}

extension Setting {
    /// Passes a new GRDB database to the body, which changes it. The checksum is that of the database's content,
    /// which is read back.
    func changingGRDB(
        _ contents: StoreTemplates.Contents, _ body: (GRDBPeer) throws -> Sample
    ) throws -> Sample {
        let copy = try shelf.fresh(copying: try shelf.grdb(contents, size: size))
        defer { shelf.discard(copy) }
        let peer = try GRDBPeer(copy)
        var sample = try body(peer)
        try peer.pool.close()
        sample.checksum = try SQLiteBaseline.prove(copy, GRDBPeer.proof)
        sample.fileBytes = shelf.byteCount(of: copy)
        return sample
    }

    /// Returns a GRDB database with all items. The caller must not change the database.
    func grdbItems() throws -> GRDBPeer { try GRDBPeer(try shelf.grdb(.items, size: size)) }
}

import CairnModel
import CairnModelArchive
import CairnStore
import Foundation

/// `Z_MODELCACHE`: the model that the store was written with.
struct ModelCacheTable {
    let connection: SQLiteConnection

    /// Returns the model, or `nil` if the store contains none, as in stores written before iOS 9.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func read() throws(StoreError) -> ModelDescription? {
        let tables = try connection.statement(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE'")
        defer { tables.reset() }
        guard try tables.step() else { return nil }
        let select = try connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        defer { select.reset() }
        guard try select.step(), let data = select.data(at: 0), !data.isEmpty else { return nil }
        do {
            return try ModelCache.decode(Array(data))
        } catch {
            throw .corrupt(
                connection.location, location: "Z_MODELCACHE, \(error.location)",
                detail: error.detail)
        }
    }

    /// Writes the model of a new store.
    ///
    /// - Throws: `.engineFailure`.
    func create(_ model: ManagedObjectModel) throws(StoreError) {
        let insert = try connection.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        try insert.bind(Data(ModelCache.encode(model)), at: 1)
        try insert.run()
    }

    /// Replaces the model with another version of it.
    ///
    /// - Throws: `.engineFailure`.
    func replace(_ model: ManagedObjectModel) throws(StoreError) {
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try create(model)
    }
}

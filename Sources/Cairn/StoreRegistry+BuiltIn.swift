import CairnGraph
import CairnLMDB
import CairnMemory
import CairnSQLite
import CairnStore

extension StoreRegistry {
    /// Every engine that Cairn brings: `"SQLite"`, `"LMDB"` and `"InMemory"`.
    public static let builtIn = StoreRegistry([
        SQLiteStore.self, LMDBStore.self, InMemoryStore.self,
    ])
}

extension StoreType {
    /// Core Data's SQLite format.
    public static let sqlite: StoreType = "SQLite"
    /// Packed rows in one LMDB file.
    public static let lmdb: StoreType = "LMDB"
    /// Nothing outlives the process.
    public static let inMemory: StoreType = "InMemory"
}

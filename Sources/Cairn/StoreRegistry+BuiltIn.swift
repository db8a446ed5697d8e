import CairnBinary
import CairnGraph
import CairnGraphFiles
import CairnLMDB
import CairnMemory
import CairnSQLite
import CairnStore
import CairnXML

extension StoreRegistry {
    /// Every engine that Cairn brings: `"SQLite"`, `"LMDB"`, `"XML"`, `"Binary"` and `"InMemory"`,
    /// with migrations.
    public static let builtIn = StoreRegistry([
        SQLiteStore.self, LMDBStore.self, XMLStore.self, BinaryStore.self, InMemoryStore.self,
    ]).withMigrations()
}

extension StoreType {
    /// Core Data's SQLite format.
    public static let sqlite: StoreType = "SQLite"
    /// Packed rows in one LMDB file.
    public static let lmdb: StoreType = "LMDB"
    /// Core Data's XML format.
    public static let xml: StoreType = "XML"
    /// Packed rows in one file, written as a whole.
    public static let binary: StoreType = "Binary"
    /// Nothing outlives the process.
    public static let inMemory: StoreType = "InMemory"
}

import CairnBinary
import CairnGraphFiles
import CairnLMDB
import CairnMemory
import CairnSQLite
import CairnStack
import CairnStore
import CairnXML

extension StoreRegistry {
    /// A registry with all engines of Cairn, `"SQLite"`, `"LMDB"`, `"XML"`, `"Binary"` and `"InMemory"`, and
    /// with support for migrations.
    public static let builtIn = StoreRegistry([
        SQLiteStore.self, LMDBStore.self, XMLStore.self, BinaryStore.self, InMemoryStore.self,
    ]).withMigrations()
}

extension StoreType {
    /// A store in Core Data's SQLite format.
    public static let sqlite: StoreType = "SQLite"
    /// A store of packed rows in a single LMDB file.
    public static let lmdb: StoreType = "LMDB"
    /// A store in Core Data's XML format.
    public static let xml: StoreType = "XML"
    /// A store of packed rows in a single file, which is written as a whole.
    public static let binary: StoreType = "Binary"
    /// A store in memory, which exists only as long as the process.
    public static let inMemory: StoreType = "InMemory"
}

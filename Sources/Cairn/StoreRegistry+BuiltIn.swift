import CairnGraph
import CairnMemory
import CairnSQLite
import CairnStore

extension StoreRegistry {
    /// Every engine that Cairn brings: `"SQLite"` and `"InMemory"`.
    public static let builtIn = StoreRegistry([SQLiteStore.self, InMemoryStore.self])
}

extension StoreType {
    /// Core Data's SQLite format.
    public static let sqlite: StoreType = "SQLite"
    /// Nothing outlives the process.
    public static let inMemory: StoreType = "InMemory"
}

import CairnModel
import CairnStore

/// A store in Core Data's SQLite format.
public enum SQLiteStore {
    /// `"SQLite"`.
    public static let type: StoreType = "SQLite"
}

import CairnSQL
import CairnStore

/// A column of a removed property that a migration has kept, because dropping it would rewrite its table.
///
/// Such columns are known by their names, so no step of a deferred migration is lost: the migration renames them
/// in its transaction. Nothing reads or writes them, and programs that do not know them ignore them.
struct DeferredColumn {
    let table: SQLName
    let name: SQLName

    private static let mark = "Z_CAIRN_DROPPED"

    /// Returns whether the name of a column, in upper case, is that of a deferred column.
    static func isName(_ name: String) -> Bool { name.isNumber(between: mark, and: "") }

    /// Returns names for deferred columns of a table with these columns.
    static func names(_ count: Int, besides taken: Set<String>) -> [SQLName] {
        var names: [SQLName] = []
        var number = 0
        while names.count < count {
            let name = "\(mark)\(number)"
            if !taken.contains(name) { names.append(SQLName(name)) }
            number += 1
        }
        return names
    }

    /// Returns a deferred column of a store. Returns `nil` if the store has no deferred column.
    ///
    /// - Throws: `.busy`, `.corrupt` or `.engineFailure`.
    static func first(in connection: SQLiteConnection) throws(StoreError) -> DeferredColumn? {
        let catalog = try SchemaCatalog(reading: connection)
        for table in catalog.tables.sorted() {
            for column in catalog.columns(of: SQLName(table)) where isName(column) {
                return DeferredColumn(table: SQLName(table), name: SQLName(column))
            }
        }
        return nil
    }
}

import CairnCSQLite
import CairnStore

/// The rows for which a trigger of the store computed a value.
///
/// Triggers of derived attributes call SQL functions that Core Data registers. A program without
/// these functions cannot write to such a store. Their arguments are the table, entity, key,
/// property and value of the row that the trigger has just changed. Cairn's versions change
/// nothing. They only note the row, so that the save can return it.
final class ComputedRows {
    /// A row, identified by its key and the store's entity number.
    struct RowKey: Hashable {
        var entity: Int64
        var key: Int64
    }

    private(set) var rowKeys: Set<RowKey> = []

    static let functions = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue",
        "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]

    func forget() { rowKeys = [] }

    fileprivate func note(_ arguments: UnsafeMutablePointer<OpaquePointer?>, count: Int32) {
        guard count >= 3 else { return }
        rowKeys.insert(
            RowKey(
                entity: sqlite3_value_int64(arguments[1]), key: sqlite3_value_int64(arguments[2])))
    }
}

extension SQLiteConnection {
    /// Registers the functions that triggers of derived attributes call.
    ///
    /// - Returns: The object in which the functions note rows. The connection retains it.
    /// - Throws: `.engineFailure`.
    func registerTriggerFunctions() throws(StoreError) -> ComputedRows {
        let rows = ComputedRows()
        for name in ComputedRows.functions {
            let code = sqlite3_create_function_v2(
                handle, name, -1, SQLITE_UTF8 | SQLITE_INNOCUOUS,
                Unmanaged.passRetained(rows).toOpaque(),
                { context, count, arguments in
                    guard let data = sqlite3_user_data(context), let arguments else { return }
                    Unmanaged<ComputedRows>.fromOpaque(data).takeUnretainedValue()
                        .note(arguments, count: count)
                    sqlite3_result_null(context)
                }, nil, nil,
                { data in data.map { Unmanaged<ComputedRows>.fromOpaque($0).release() } })
            try check(code, "register \(name)")
        }
        return rows
    }
}

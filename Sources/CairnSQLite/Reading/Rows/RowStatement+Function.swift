import CairnCSQLite
import CairnRows
import CairnStore

/// The SQL function `cairn_row`, whose arguments are the columns of a row.
///
/// The function packs the row for the statement that is being stepped, and returns NULL. Without
/// it, a fetch of a whole table takes 38 to 48 % more processor time, because SQLite must be asked
/// for each column after each step (benchmark rows A and B, 100,000 objects).
extension RowStatement {
    /// The maximum number of arguments of a function, unless SQLite was built with another limit
    /// (sqlite.org/limits.html).
    static let argumentCountLimit = 100

    /// Registers the function on a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func registerFunction(on connection: SQLiteConnection) throws(StoreError) {
        // The pointer stays valid, because the connection closes its handle before it is released.
        let userData = UnsafeMutableRawPointer(mutating: Uncounted(connection).pointer)
        let code = sqlite3_create_function_v2(
            connection.handle, "cairn_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, userData, packRow,
            nil, nil, nil)
        try connection.check(code, "register cairn_row")
    }

    private static let packRow:
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void =
            { context, count, arguments in
                guard let arguments, let connection = sqlite3_user_data(context),
                    let statement = Uncounted<SQLiteConnection>(pointer: connection)
                        .withObject({ $0.steppedStatement })
                else { return sqlite3_result_error(context, "no statement is being stepped", -1) }
                let isPacked = statement.withObject { $0.pack(ArgumentColumns(arguments), count) }
                if !isPacked { sqlite3_result_error(context, "a row could not be packed", -1) }
            }
}

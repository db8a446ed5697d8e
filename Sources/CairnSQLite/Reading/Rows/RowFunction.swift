import CairnCSQLite
import CairnStore

/// The SQL function `cairn_row` of one connection, whose arguments are the columns of a row.
///
/// The function packs the row for the ``RowStatement`` that is being stepped, and returns NULL. Without it, a
/// fetch of a whole table takes 38 to 48 % more processor time, because SQLite is asked for each column after
/// each step (benchmark rows A and B, 100,000 objects).
final class RowFunction {
    // Exclusivity is unchecked: a connection has one user at a time, who steps one statement at a time.
    /// The statement that is being stepped. The statement sets this before its step, and outlives the step.
    @exclusivity(unchecked) var current: Unmanaged<RowStatement>?

    /// sqlite.org/limits.html: a function takes 100 arguments unless SQLite was built otherwise.
    static let argumentCountLimit = 100

    /// Makes the function known to a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func register(on connection: SQLiteConnection) throws(StoreError) {
        // The connection holds its function, and closes itself before it releases the function.
        let function = Unmanaged.passUnretained(connection.rowFunction).toOpaque()
        let code = sqlite3_create_function_v2(
            connection.handle, "cairn_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, function, pack,
            nil, nil, nil)
        try connection.check(code, "register cairn_row")
    }

    private static let pack:
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void =
            { context, count, arguments in
                guard let arguments, let function = sqlite3_user_data(context),
                    let statement = Unmanaged<RowFunction>.fromOpaque(function)
                        ._withUnsafeGuaranteedRef({ $0.current })
                else { return sqlite3_result_error(context, "no statement is being stepped", -1) }
                let isPacked = statement._withUnsafeGuaranteedRef {
                    $0.pack(ArgumentColumns(arguments), count)
                }
                if !isPacked { sqlite3_result_error(context, "a row could not be packed", -1) }
            }
}

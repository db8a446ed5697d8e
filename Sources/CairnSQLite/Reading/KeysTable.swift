import CairnCSQLite
import CairnStore

/// The table `cairn_keys(?)`, which lets a query join with keys in this program's memory.
///
/// Reading many rows with a join costs about half as much as one statement for each key. `IN` with
/// one parameter for each key costs three quarters, because SQLite first puts the parameters into a
/// tree.
///
/// The argument is a pointer, so only this process can bind it, and the schema of a file cannot
/// refer to the table. The table can only be read with its argument, from the first key to the last.
enum KeysTable {
    /// The memory that the argument points to. Sorted keys are best, because each page is then read
    /// only once.
    struct Keys {
        let list: UnsafeBufferPointer<Int64>
        /// The index of the key that is being read. Code that changes the keys of a running
        /// statement sets this to −1, so that the next step continues with the first key.
        var index = 0
    }

    private struct Cursor {
        // This must be the first member, because SQLite identifies the cursor by it.
        var base = sqlite3_vtab_cursor()
        /// The keys, or `nil` before the query begins.
        var keys: UnsafeMutablePointer<Keys>?
    }

    /// The name of the table and of its module. It is also the type name of the bound pointer: SQLite
    /// compares those by their text, and keeps a pointer to that text.
    private static let name: StaticString = "cairn_keys"

    private static var nameText: UnsafePointer<CChar> {
        UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Registers the table on a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func register(on connection: SQLiteConnection) throws(StoreError) {
        let code = sqlite3_create_module_v2(connection.handle, nameText, module, nil, nil)
        try connection.check(code, "register \(name)")
    }

    /// Calls the body with the keys, which must be sorted, in the form that ``bind(_:to:at:on:)``
    /// takes.
    ///
    /// - Throws: The errors of the body.
    static func withKeys<Result>(
        _ keys: [Int64], _ body: (UnsafeMutablePointer<Keys>) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try keys.withUnsafeBufferPointer { (keys) throws(StoreError) in
            var keys = Keys(list: keys)
            return try withUnsafeMutablePointer(to: &keys) { (keys) throws(StoreError) in
                try body(keys)
            }
        }
    }

    /// Binds the argument of `cairn_keys(?)`.
    ///
    /// - Precondition: `keys` remains valid until the statement is reset.
    /// - Throws: `.engineFailure`.
    static func bind(
        _ keys: UnsafeMutablePointer<Keys>, to statement: SQLiteStatement, at parameter: Int32,
        on connection: SQLiteConnection
    ) throws(StoreError) {
        let code = sqlite3_bind_pointer(statement.handle, parameter, keys, nameText, nil)
        try connection.check(code, "bind")
    }

    // MARK: The module

    // Unsafe: it is written only here, before any other code can see it. SQLite keeps the pointer
    // while connections are open, so it is never deallocated.
    //
    // Because there is no `xCreate`, the table exists only once, under the module's name.
    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var methods = sqlite3_module()
        methods.xConnect = connect
        methods.xDisconnect = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        methods.xBestIndex = bestIndex
        methods.xOpen = open
        methods.xClose = { cursor in
            guard let cursor else { return SQLITE_OK }
            UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self).deallocate()
            return SQLITE_OK
        }
        methods.xFilter = filter
        methods.xNext = { cursor in
            withKeys(of: cursor) { $0.index += 1 }
            return SQLITE_OK
        }
        methods.xEof = { cursor in
            withKeys(of: cursor) { $0.index < $0.list.count ? 0 : 1 } ?? 1
        }
        methods.xColumn = { cursor, context, _ in
            withKeys(of: cursor) { sqlite3_result_int64(context, $0.list[$0.index]) }
            return SQLITE_OK
        }
        methods.xRowid = { cursor, rowID in
            withKeys(of: cursor) { rowID?.pointee = Int64($0.index) }
            return SQLITE_OK
        }
        module.initialize(to: methods)
        return UnsafePointer(module)
    }()

    @inline(__always) @discardableResult
    private static func withKeys<Result>(
        of cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (inout Keys) -> Result
    ) -> Result? {
        guard let cursor,
            let keys = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
                .pointee.keys
        else { return nil }
        return body(&keys.pointee)
    }

    private static let connect:
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, Int32,
            UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32 = { database, _, _, _, result, _ in
            let declared = sqlite3_declare_vtab(
                database, "CREATE TABLE k(keys HIDDEN, key INTEGER)")
            guard declared == SQLITE_OK else { return declared }
            let configured = cairn_sqlite_table_is_direct_only(database)
            guard configured == SQLITE_OK else { return configured }
            let table = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
            table.initialize(to: sqlite3_vtab())
            result?.pointee = table
            return SQLITE_OK
        }

    private static let bestIndex:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<sqlite3_index_info>?
        ) -> Int32 = { _, plan in
            guard let plan else { return SQLITE_CONSTRAINT }
            for index in 0..<Int(plan.pointee.nConstraint) {
                let constraint = plan.pointee.aConstraint[index]
                // Column 0 is the hidden one, which takes the argument.
                guard constraint.iColumn == 0, constraint.usable != 0,
                    Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ
                else { continue }
                plan.pointee.aConstraintUsage[index].argvIndex = 1
                plan.pointee.aConstraintUsage[index].omit = 1
                plan.pointee.estimatedCost = 1
                return SQLITE_OK
            }
            return SQLITE_CONSTRAINT
        }

    private static let open:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vtab>?,
            UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
        ) -> Int32 = { _, result in
            let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            cursor.initialize(to: Cursor())
            result?.pointee = UnsafeMutableRawPointer(cursor)
                .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }

    private static let filter:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vtab_cursor>?, Int32, UnsafePointer<CChar>?, Int32,
            UnsafeMutablePointer<OpaquePointer?>?
        ) -> Int32 = { cursor, _, _, count, arguments in
            guard let cursor, count == 1, let arguments,
                let argument = sqlite3_value_pointer(arguments[0], nameText)
            else { return SQLITE_MISUSE }
            let keys = argument.assumingMemoryBound(to: Keys.self)
            keys.pointee.index = 0
            UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self).pointee.keys = keys
            return SQLITE_OK
        }
}

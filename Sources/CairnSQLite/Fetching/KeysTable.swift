import CairnCSQLite
import CairnStore

/// Keys of this program as a table that a query can join with: `cairn_keys(?)`.
///
/// Joining reads many rows by key at about half the cost of a statement for each; `IN` with as many
/// parameters, which SQLite puts into a tree first, at three quarters. The argument is a pointer
/// that only this process can bind.
enum KeysTable {
    /// What the argument points to; sorted keys are read from the fewest pages.
    typealias Keys = UnsafeBufferPointer<Int64>

    private struct Cursor {
        // First: SQLite knows the cursor by it.
        var base = sqlite3_vtab_cursor()
        var keys = Keys(start: nil, count: 0)
        var place = 0
    }

    /// SQLite compares it by text, and keeps the pointer to it.
    private static let pointerType: StaticString = "cairn_keys"
    /// The column that the argument is compared with.
    private static let argumentColumn: Int32 = 1

    /// Makes the table known to a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func register(on connection: SQLiteConnection) throws(StoreError) {
        let code = sqlite3_create_module_v2(connection.handle, "cairn_keys", module, nil, nil)
        try connection.check(code, "register cairn_keys")
    }

    /// Calls the body with sorted keys in the form that ``bind(_:to:at:on:)`` takes.
    ///
    /// - Throws: what the body throws.
    static func withKeys<Result>(
        _ keys: [Int64], _ body: (UnsafePointer<Keys>) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try keys.withUnsafeBufferPointer { (keys) throws(StoreError) in
            try withUnsafePointer(to: keys) { (keys) throws(StoreError) in try body(keys) }
        }
    }

    /// Binds the argument of `cairn_keys(?)`.
    ///
    /// - Precondition: the keys stay where they are until the statement is reset.
    /// - Throws: `.engineFailure`.
    static func bind(
        _ keys: UnsafePointer<Keys>, to statement: SQLiteStatement, at parameter: Int32,
        on connection: SQLiteConnection
    ) throws(StoreError) {
        let code = sqlite3_bind_pointer(
            statement.handle, parameter, UnsafeMutableRawPointer(mutating: keys), pointerTypeText,
            nil)
        try connection.check(code, "bind")
    }

    private static var pointerTypeText: UnsafePointer<CChar> {
        UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    // MARK: The module

    // Unsafe: written here, before anybody has it, and never again. SQLite keeps the pointer as
    // long as connections are open, so it stays for the life of the process.
    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var methods = sqlite3_module()
        // Without xCreate there is this one table, under the module's name.
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
            withCursor(cursor) { $0.place += 1 }
            return SQLITE_OK
        }
        methods.xEof = { cursor in
            withCursor(cursor) { $0.place < $0.keys.count ? 0 : 1 } ?? 1
        }
        methods.xColumn = { cursor, context, _ in
            withCursor(cursor) { sqlite3_result_int64(context, $0.keys[$0.place]) }
            return SQLITE_OK
        }
        methods.xRowid = { cursor, rowID in
            withCursor(cursor) { rowID?.pointee = Int64($0.place) }
            return SQLITE_OK
        }
        module.initialize(to: methods)
        return UnsafePointer(module)
    }()

    @inline(__always) @discardableResult
    private static func withCursor<Result>(
        _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (inout Cursor) -> Result
    ) -> Result? {
        guard let cursor else { return nil }
        return body(&UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self).pointee)
    }

    private static let connect:
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, Int32,
            UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32 = { database, _, _, _, result, _ in
            let declared = sqlite3_declare_vtab(
                database, "CREATE TABLE k(key INTEGER, keys HIDDEN)")
            guard declared == SQLITE_OK else { return declared }
            let configured = cairn_sqlite_table_is_direct_only(database)
            guard configured == SQLITE_OK else { return configured }
            let table = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
            table.initialize(to: sqlite3_vtab())
            result?.pointee = table
            return SQLITE_OK
        }

    /// The keys must be given: there is no other way to read the table.
    private static let bestIndex:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<sqlite3_index_info>?
        ) -> Int32 = { _, plan in
            guard let plan else { return SQLITE_CONSTRAINT }
            for index in 0..<Int(plan.pointee.nConstraint) {
                let constraint = plan.pointee.aConstraint[index]
                guard constraint.iColumn == argumentColumn, constraint.usable != 0,
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
            guard count == 1, let arguments,
                let keys = sqlite3_value_pointer(arguments[0], pointerTypeText)
            else { return SQLITE_MISUSE }
            withCursor(cursor) { cursor in
                cursor.keys = keys.assumingMemoryBound(to: Keys.self).pointee
                cursor.place = 0
            }
            return SQLITE_OK
        }
}

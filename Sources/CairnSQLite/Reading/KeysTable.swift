import CairnCSQLite
import CairnStore

/// The table `cairn_keys(?)`, which lets a query join with keys in this program's memory.
///
/// Reading many rows with a join costs about half as much as one statement for each key. `IN` with
/// one parameter for each key costs three quarters, because SQLite first puts the parameters into a
/// tree. The argument is a pointer that only this process can bind.
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

    private static let table = ArgumentTable(name: "cairn_keys")

    /// Registers the table on a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func register(on connection: SQLiteConnection) throws(StoreError) {
        try table.register(module, on: connection)
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
        try table.bind(
            UnsafeMutableRawPointer(keys), to: statement, at: parameter, on: connection)
    }

    // MARK: The module

    // Unsafe: it is written only here, before any other code can see it. SQLite keeps the pointer
    // while
    // connections are open, so it is never deallocated.
    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var methods = ArgumentTable.methods()
        methods.xConnect = { database, _, _, _, result, _ in
            ArgumentTable.connect(
                database, declaredAs: "CREATE TABLE k(keys HIDDEN, key INTEGER)", result)
        }
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
            guard let cursor, let argument = table.argument(count, arguments) else {
                return SQLITE_MISUSE
            }
            let keys = argument.assumingMemoryBound(to: Keys.self)
            keys.pointee.index = 0
            UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self).pointee.keys = keys
            return SQLITE_OK
        }
}

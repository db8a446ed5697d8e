import CairnCSQLite
import CairnStore

/// What ``KeysTable`` and ``RowsTable`` share: tables over memory of this program, which SQL selects
/// from as `name(?)`.
///
/// The argument is a pointer that only this process can bind, and no schema of a file can name the
/// table. There is no other way to read it than with its argument, and each is read from its first
/// row to its last.
struct ArgumentTable: Sendable {
    /// The table's and its module's name. SQLite compares the kind of a pointer by its text, and
    /// keeps the pointer to it: it is the name, too.
    let name: StaticString

    /// The argument is the first column, and hidden.
    static let argumentColumn: Int32 = 0

    /// Makes the table known to a connection.
    ///
    /// - Parameter module: stays where it is as long as there are connections.
    /// - Throws: `.engineFailure`.
    func register(
        _ module: UnsafePointer<sqlite3_module>, on connection: SQLiteConnection
    ) throws(StoreError) {
        let code = sqlite3_create_module_v2(connection.handle, name.text, module, nil, nil)
        try connection.check(code, "register \(name)")
    }

    /// Binds the argument.
    ///
    /// - Precondition: what it points to stays as it is until the statement is reset.
    /// - Throws: `.engineFailure`.
    func bind(
        _ argument: UnsafeMutableRawPointer, to statement: SQLiteStatement, at parameter: Int32,
        on connection: SQLiteConnection
    ) throws(StoreError) {
        let code = sqlite3_bind_pointer(
            statement.handle, parameter, argument, name.text, nil)
        try connection.check(code, "bind")
    }

    /// Returns the argument that SQLite passes when it begins to read the table. Returns `nil` if
    /// the argument was not bound for this table.
    func argument(
        _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) -> UnsafeMutableRawPointer? {
        guard count == 1, let values else { return nil }
        return sqlite3_value_pointer(values[0], name.text)
    }

    // MARK: The module

    typealias Result = UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>

    /// A module without what is the table's own: its connection, which calls
    /// ``connect(_:declaredAs:_:)``, and its cursors.
    ///
    /// Without `xCreate` there is one table, under the module's name.
    static func methods() -> sqlite3_module {
        var methods = sqlite3_module()
        methods.xDisconnect = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        methods.xBestIndex = bestIndex
        return methods
    }

    static func connect(
        _ database: OpaquePointer?, declaredAs sql: String, _ result: Result?
    ) -> Int32 {
        let declared = sqlite3_declare_vtab(database, sql)
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
}

extension StaticString {
    fileprivate var text: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

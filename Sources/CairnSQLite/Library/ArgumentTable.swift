import CairnCSQLite
import CairnStore

/// A virtual table over memory of this process, which SQL selects from as `name(?)`. The common
/// part of ``KeysTable`` and ``RowsTable``.
///
/// The argument is a pointer, so only this process can bind it, and the schema of a file cannot
/// refer to the table. The table can only be read with its argument, from the first row to the
/// last.
struct ArgumentTable: Sendable {
    /// The name of the table and of its module. It is also the type name of the bound pointer:
    /// SQLite compares those by their text, and keeps a pointer to that text.
    let name: StaticString

    /// The index of the hidden column that takes the argument.
    static let argumentColumn: Int32 = 0

    /// Registers the table's module on a connection.
    ///
    /// - Parameter module: The module. It must stay at this address while any connection uses it.
    /// - Throws: `.engineFailure`.
    func register(
        _ module: UnsafePointer<sqlite3_module>, on connection: SQLiteConnection
    ) throws(StoreError) {
        let code = sqlite3_create_module_v2(connection.handle, name.text, module, nil, nil)
        try connection.check(code, "register \(name)")
    }

    /// Binds the argument to a parameter of the statement.
    ///
    /// - Precondition: The memory that `argument` points to does not change until the statement is
    ///   reset.
    /// - Throws: `.engineFailure`.
    func bind(
        _ argument: UnsafeMutableRawPointer, to statement: SQLiteStatement, at parameter: Int32,
        on connection: SQLiteConnection
    ) throws(StoreError) {
        let code = sqlite3_bind_pointer(
            statement.handle, parameter, argument, name.text, nil)
        try connection.check(code, "bind")
    }

    /// Returns the argument that SQLite passes when it starts to read the table, or `nil` if the
    /// bound argument was not meant for this table.
    func argument(
        _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) -> UnsafeMutableRawPointer? {
        guard count == 1, let values else { return nil }
        return sqlite3_value_pointer(values[0], name.text)
    }

    // MARK: The module

    typealias Result = UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>

    /// Returns the part of a module that both tables share. The caller adds `xConnect`, which calls
    /// ``connect(_:declaredAs:_:)``, and the cursor functions.
    ///
    /// Because there is no `xCreate`, the table exists only once, under the module's name.
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

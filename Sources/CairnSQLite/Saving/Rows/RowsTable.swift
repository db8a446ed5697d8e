import CairnCSQLite
import CairnRows
import CairnStore

/// The table `cairn_rows(?)`, which lets SQLite insert from packed rows in this program's memory.
///
/// One `INSERT … SELECT` from this table costs three quarters of binding and stepping for each row,
/// because SQLite requests each value just when it needs it. Without this table, creating and
/// saving objects takes 8 % more processor time in all (benchmark row K). Column `c1` corresponds
/// to parameter 1 of the `INSERT` for a single row, and so on.
enum RowsTable {
    /// The maximum number of columns.
    static let columnCount = 100

    /// The rows that a statement reads, and its current position in them.
    final class Source {
        private let rows: RowBatch
        private let end: Int
        private let columns: ContiguousArray<RowBinding.Source>
        private let binding: RowBinding
        private let storeNumber: Int64
        private let save: SaveContext
        /// The index of the row that SQLite reads now, or reads next.
        private(set) var index: Int
        /// The values of the row at ``index``.
        private var values: RowPointer
        /// The reason why a value could not be supplied.
        private var failure: StoreError?

        /// - Parameters:
        ///   - range: The rows of the batch to insert. There must be at least one, and all must
        ///     belong to the entity of the columns.
        ///   - storeNumber: The store's number for this entity.
        init(
            _ rows: RowBatch, _ range: Range<Int>, columns: ContiguousArray<RowBinding.Source>,
            of binding: RowBinding, storeNumber: Int64, in save: SaveContext
        ) {
            self.rows = rows
            self.columns = columns
            self.binding = binding
            self.storeNumber = storeNumber
            self.save = save
            index = range.lowerBound
            end = range.upperBound
            values = rows.pointer(at: range.lowerBound)
        }

        var isAtEnd: Bool { index >= end }

        /// Advances to the next row, if there is one.
        func advance() {
            index += 1
            if index < end { values = rows.pointer(at: index) }
        }

        /// Runs a statement that reads the rows from ``index`` on.
        ///
        /// - Returns: The reason why SQLite rejected the row at ``index``, or `nil` if all rows
        ///   were read.
        /// - Throws: The errors of `RowBinding.put`; `.engineFailure`.
        func run(_ statement: SQLiteStatement) throws(StoreError) -> SQLiteFailure? {
            try table.bind(
                UnsafeMutableRawPointer(mutating: Uncounted(self).pointer), to: statement, at: 1,
                on: save.connection)
            let refusal = statement.runReturningFailure()
            statement.reset()
            // The statement's own error only says that a value is missing.
            if let failure { throw failure }
            return refusal
        }

        @inline(__always)
        fileprivate func put(_ column: Int32, into sink: ColumnResult) -> Int32 {
            switch column {
            case 1: sink.put(values.key)
            case 2: sink.put(storeNumber)
            case 3: sink.put(values.version)
            default:
                do throws(StoreError) {
                    let source = columns[Int(column) - 4]
                    if try RowBinding.putPlain(values, source, into: sink) { break }
                    try binding.put(rows[row: index], source, into: sink, in: save)
                } catch {
                    failure = error
                    sqlite3_result_error(sink.context, "a value could not be saved", -1)
                    return SQLITE_ERROR
                }
            }
            return SQLITE_OK
        }
    }

    private struct Cursor {
        // This must be the first member, because SQLite identifies the cursor by it.
        var base = sqlite3_vtab_cursor()
        /// The source. The code that runs the statement owns it.
        var source: Uncounted<Source>?
    }

    private static let table = ArgumentTable(name: "cairn_rows")

    /// Registers the table on a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func register(on connection: SQLiteConnection) throws(StoreError) {
        try table.register(module, on: connection)
    }

    // MARK: The module

    // Unsafe: it is written only here, before any other code can see it. SQLite keeps the pointer
    // while
    // connections are open, so it is never deallocated.
    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var methods = ArgumentTable.methods()
        methods.xConnect = { database, _, _, _, result, _ in
            let columns = (1...columnCount).map { "c\($0)" }.joined(separator: ", ")
            return ArgumentTable.connect(
                database, declaredAs: "CREATE TABLE r(rows HIDDEN, \(columns))", result)
        }
        methods.xOpen = { _, result in
            let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            cursor.initialize(to: Cursor())
            result?.pointee = UnsafeMutableRawPointer(cursor)
                .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        methods.xClose = { cursor in
            guard let cursor else { return SQLITE_OK }
            UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self).deallocate()
            return SQLITE_OK
        }
        methods.xFilter = { cursor, _, _, count, arguments in
            guard let cursor, let source = table.argument(count, arguments) else {
                return SQLITE_MISUSE
            }
            UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
                .pointee.source = Uncounted(pointer: source)
            return SQLITE_OK
        }
        methods.xNext = { cursor in
            withSource(cursor) { source in
                source.advance()
                return SQLITE_OK
            }
        }
        methods.xEof = { cursor in withSource(cursor) { $0.isAtEnd ? 1 : 0 } }
        methods.xColumn = { cursor, context, column in
            guard let context else { return SQLITE_MISUSE }
            return withSource(cursor) { $0.put(column, into: ColumnResult(context: context)) }
        }
        methods.xRowid = { cursor, rowID in
            withSource(cursor) { source in
                rowID?.pointee = Int64(source.index)
                return SQLITE_OK
            }
        }
        module.initialize(to: methods)
        return UnsafePointer(module)
    }()

    /// Calls the body without counting references, because the code that runs the statement owns
    /// the source.
    @inline(__always)
    private static func withSource(
        _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (Source) -> Int32
    ) -> Int32 {
        guard let cursor,
            let source = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
                .pointee.source
        else { return SQLITE_MISUSE }
        return source.withObject(body)
    }
}

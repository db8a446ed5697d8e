import CairnCSQLite
import CairnStore

/// Packed rows of this program as a table that is inserted from: `cairn_rows(?)`.
///
/// One `INSERT … SELECT` from it costs three quarters of binding and stepping for each row, because
/// SQLite asks for a value where it is to stand. Without this table, creating and saving objects takes
/// 8 % more processor time in all (benchmark row K). Column `c1` is what parameter 1 of the `INSERT` of a
/// single row is, and so on.
enum RowsTable {
    /// The most columns that can be inserted in this way.
    static let columnCount = 100

    /// The rows that a statement reads, and how many of them it has read.
    final class Source {
        private let rows: RowBatch
        private let end: Int
        private let columns: ContiguousArray<RowBinding.Source>
        private let binding: RowBinding
        private let storeNumber: Int64
        private let save: SaveContext
        /// The index of the row that SQLite asks about now, or next.
        private(set) var index: Int
        /// The values of that row.
        private var values: RowPointer
        /// Why a value could not be given.
        private var failure: StoreError?

        /// - Parameters:
        ///   - range: some rows of the batch, one at least, all of the entity of the columns.
        ///   - storeNumber: of the entity.
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

        /// Goes to the next row, if there is one.
        func advance() {
            index += 1
            if index < end { values = rows.pointer(at: index) }
        }

        /// Runs a statement that reads the rows from ``index`` on.
        ///
        /// - Returns: why SQLite refused the row at ``index``. `nil` if all were read.
        /// - Throws: what `RowBinding.put` throws; `.engineFailure`.
        func run(_ statement: SQLiteStatement) throws(StoreError) -> SQLiteFailure? {
            try table.bind(
                UnsafeMutableRawPointer(mutating: Uncounted(self).pointer), to: statement, at: 1,
                on: save.connection)
            let refusal = statement.runReturningFailure()
            statement.reset()
            // The statement only knows that there was no value.
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
        // First: SQLite knows the cursor by it.
        var base = sqlite3_vtab_cursor()
        /// The code that runs the statement holds it.
        var source: Uncounted<Source>?
    }

    private static let table = ArgumentTable(name: "cairn_rows")

    /// Makes the table known to a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func register(on connection: SQLiteConnection) throws(StoreError) {
        try table.register(module, on: connection)
    }

    // MARK: The module

    // Unsafe: written here, before anybody has it, and never again. SQLite keeps the pointer as
    // long as connections are open, so it stays for the life of the process.
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

    /// Without counting references, because the code that runs the statement holds the source.
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

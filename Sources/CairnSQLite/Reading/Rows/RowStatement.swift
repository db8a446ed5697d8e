import CairnCSQLite
import CairnModel
import CairnRows
import CairnStore

/// A statement whose rows are packed as it is stepped.
///
/// All rows of a store are read through this type, in fetches, faults and saves.
final class RowStatement {
    /// The form of a statement's result list.
    enum Form {
        /// The columns of a codec, which are read after each step.
        case columns
        /// The function `cairn_row` with all columns of a codec, which packs the row within the
        /// step. If the statement sorts its rows, they are packed before they are sorted.
        case function
    }

    private let statement: SQLiteStatement
    private let codec: RowCodec
    private let form: Form
    /// The fetch that the statement belongs to. `nil` for rows read by key.
    private let plan: FetchPlan?
    private let readsIDs: Bool
    private let columnCount: Int32
    // Exclusivity is unchecked: only one statement is stepped at a time, and its function does
    // nothing else meanwhile. The checks would cost as much as packing two columns.
    @exclusivity(unchecked) private var writer: RowWriter
    @exclusivity(unchecked) private var ids: ContiguousArray<ObjectID> = []
    @exclusivity(unchecked) private var lastKey = Int64.min
    /// The first key that was not greater than the key before it. `nil` if all keys increased.
    @exclusivity(unchecked) private(set) var disorderedKey: Int64?
    /// The reason why the function could not pack a row.
    @exclusivity(unchecked) private var failure: StoreError?
    /// How the statement finds its rows, and how many rows it has looked at, if its fetch is explained.
    private(set) var report: FetchReport?
    /// The number of rows that were read but not taken yet.
    private var readCount = 0
    /// Whether the statement has no more rows. It has then been reset.
    private(set) var isAtEnd = false

    /// Creates a reader for a statement that has not been stepped yet.
    ///
    /// - Parameters:
    ///   - statement: A statement that selects the codec's columns for `output`, in the given form.
    ///   - plan: The fetch that the statement belongs to. Its task and its deadline can stop the
    ///     statement, and it may ask only for IDs. `nil` for rows that no fetch asks for.
    init(
        _ statement: SQLiteStatement, _ form: Form, codec: RowCodec, store: StoreNumber,
        of plan: FetchPlan? = nil
    ) {
        self.statement = statement
        self.form = form
        self.codec = codec
        self.plan = plan
        readsIDs = plan?.output == .ids
        columnCount = Int32(codec.columns.count)
        writer = RowWriter(store: store)
    }

    /// Whether the statement sorted its rows after they were read.
    var hasSorted: Bool { statement.hasSorted }

    /// Reads rows until `count` rows are ready to be taken, or until the end.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`; for a fetch also `.predicate`,
    ///   `.cancelled` or `.deadlineExceeded`. Nothing can be read after an error.
    func read(atMost count: Int, on connection: SQLiteConnection) throws(StoreError) {
        guard !isAtEnd else { return }
        // A cached statement may have run before.
        if StepCounter.rows != nil, readCount == 0, !statement.isRunning {
            _ = statement.takeScanStepCount()
        }
        connection.steppedStatement = Uncounted(self)
        if let plan { connection.fetchWatch.begin(plan) }
        // A local variable, because each access to a property of a class is checked.
        var read = readCount
        let visited = connection.fetchWatch.visitedCount
        if let plan, plan.isExplained, report == nil {
            report = FetchReport(access: try statement.access(on: connection))
        }
        defer {
            report?.rowsRead += connection.fetchWatch.visitedCount - visited
            if StepCounter.rows != nil { StepCounter.reportRows(statement.takeScanStepCount()) }
            connection.steppedStatement = nil
            connection.fetchWatch.end()
            readCount = read
        }
        do {
            while read < count {
                guard try statement.step() else {
                    isAtEnd = true
                    return
                }
                if form == .columns { try readColumns() }
                read += 1
            }
        } catch {
            isAtEnd = true
            // The statement's own error only says that the statement was stopped, or that a
            // function failed.
            let stop = plan == nil ? nil : connection.fetchWatch.error
            throw stop ?? failure ?? error
        }
    }

    /// Returns the rows, or IDs, that were read since the last call.
    func takeBatch() -> RowBatch {
        readCount = 0
        guard readsIDs else { return writer.takeBatch() }
        defer { ids = [] }
        return RowBatch(ids: ids)
    }

    /// Reads and returns one row. Returns `nil` at the end. The next call then starts again.
    ///
    /// - Throws: The errors of ``read(atMost:on:)``.
    func nextRow(on connection: SQLiteConnection) throws(StoreError) -> Row? {
        (readCount, isAtEnd) = (0, false)
        try read(atMost: 1, on: connection)
        return isAtEnd ? nil : writer.takeRow()
    }

    /// Ends the current run and clears the bindings.
    func reset() {
        isAtEnd = true
        statement.reset()
    }

    /// Ends the current run. The statement starts again when the next row is read.
    func rest() { statement.rest() }

    private func readColumns() throws(StoreError) {
        let columns = StatementColumns(statement)
        if readsIDs {
            let id = try codec.readID(columns)
            ids.append(id)
            note(id.key)
        } else {
            try codec.read(columns, into: &writer)
            note(columns.int64(RowCodec.keyColumn))
        }
    }

    /// Packs the row that the function was called with. Returns `false` if it does not fit the
    /// codec.
    @inline(__always) func pack(_ columns: ArgumentColumns, _ count: Int32) -> Bool {
        guard count == columnCount else { return false }
        do {
            try codec.read(columns, into: &writer)
        } catch {
            failure = error
            return false
        }
        note(columns.int64(RowCodec.keyColumn))
        return true
    }

    @inline(__always) private func note(_ key: Int64) {
        if lastKey >= key, disorderedKey == nil { disorderedKey = key }
        lastKey = key
    }
}

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

/// The arguments of an SQL function, as the columns of a row.
struct ArgumentColumns: StoredColumns {
    private let values: UnsafeMutablePointer<OpaquePointer?>

    @inline(__always) init(_ values: UnsafeMutablePointer<OpaquePointer?>) { self.values = values }

    @inline(__always) func type(_ column: Int32) -> Int32 {
        sqlite3_value_type(values[Int(column)])
    }
    @inline(__always) func int64(_ column: Int32) -> Int64 {
        sqlite3_value_int64(values[Int(column)])
    }
    @inline(__always) func double(_ column: Int32) -> Double {
        sqlite3_value_double(values[Int(column)])
    }
    @inline(__always) func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(values[Int(column)])
        let count = Int(sqlite3_value_bytes(values[Int(column)]))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}

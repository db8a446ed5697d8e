import CairnModel
import CairnStore

/// A statement whose rows are packed as it is stepped.
///
/// All rows of a store are read by this type: those of fetches, of faults and of saves.
final class RowStatement {
    /// What the statement selects.
    enum Form {
        /// The columns of a codec, which are read after each step.
        case columns
        /// The function `cairn_row` of all columns of a codec, which packs the row within the step. If the
        /// statement sorts its rows, they are packed before they are sorted.
        case function
    }

    private let statement: SQLiteStatement
    private let codec: RowCodec
    private let form: Form
    /// The fetch that the statement belongs to. `nil` for rows by key.
    private let plan: FetchPlan?
    private let readsIDs: Bool
    private let columnCount: Int32
    // Exclusivity is unchecked: one statement at a time is stepped, and its function does nothing else
    // meanwhile. The checks cost as much as packing two columns.
    @exclusivity(unchecked) private var writer: RowWriter
    @exclusivity(unchecked) private var ids: ContiguousArray<ObjectID> = []
    @exclusivity(unchecked) private var lastKey = Int64.min
    /// The first key that was not greater than the key before it. `nil` if the keys grew from row to row.
    @exclusivity(unchecked) private(set) var disorderedKey: Int64?
    /// Why the function could not pack a row.
    @exclusivity(unchecked) private var failure: StoreError?
    /// How many rows were read and not taken.
    private var readCount = 0
    /// Whether the statement has no more rows. It was reset then.
    private(set) var isAtEnd = false

    /// Creates a reader of a statement that was not stepped yet.
    ///
    /// - Parameters:
    ///   - statement: selects what `form` says, in the columns of the codec for `output`.
    ///   - plan: the fetch that the statement belongs to, whose task and deadline can stop it, and which
    ///     may ask for IDs alone. `nil` for rows that no fetch asks for.
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

    /// Whether the statement has sorted rows after they were read.
    var hasSorted: Bool { statement.hasSorted }

    /// Reads rows until that many are there to be taken, or until the end.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`; `.predicate`, `.cancelled` and `.deadlineExceeded`
    ///   of a fetch. Nothing can be read after an error.
    func read(atMost count: Int, on connection: SQLiteConnection) throws(StoreError) {
        guard !isAtEnd else { return }
        connection.steppedStatement = Uncounted(self)
        if let plan { connection.fetchWatch.begin(plan) }
        // A local number, because each access to a property of a class is checked.
        var read = readCount
        defer {
            connection.steppedStatement = nil
            connection.fetchWatch.end()
            readCount = read
        }
        do throws(StoreError) {
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
            // The statement only knows that it was stopped, or that a function failed.
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

    /// Reads and returns one row. Returns `nil` at the end; the statement begins again after it.
    ///
    /// - Throws: as ``read(atMost:on:)``.
    func nextRow(on connection: SQLiteConnection) throws(StoreError) -> Row? {
        (readCount, isAtEnd) = (0, false)
        try read(atMost: 1, on: connection)
        return isAtEnd ? nil : writer.takeRow()
    }

    /// Ends the statement and forgets what was bound.
    func reset() {
        isAtEnd = true
        statement.reset()
    }

    /// Ends the statement, which begins again with the next row that is read.
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

    /// Packs the row that the function was called with. Returns `false` if it is not as it must be.
    @inline(__always) func pack(_ columns: ArgumentColumns, _ count: Int32) -> Bool {
        guard count == columnCount else { return false }
        do throws(StoreError) {
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

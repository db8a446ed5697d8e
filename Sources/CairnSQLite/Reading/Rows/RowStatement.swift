import CairnCSQLite
import CairnModel
import CairnStore

/// Packs rows inside of SQLite: functions whose arguments are a row's columns.
///
/// `cairn_pack` is an aggregate: one step of the statement runs the whole query. `cairn_row` packs
/// the row of a statement that is stepped. Either saves a good part of what asking for each column
/// of a stepped row costs. The functions find the packing that they work for in their connection,
/// which has one for as long as a statement with them is stepped.
final class RowStatement {
    private let codec: RowCodec
    private let output: FetchPlan.Output
    private let argumentCount: Int32
    // Exclusivity is unchecked: one statement at a time calls the function, which does nothing
    // else meanwhile. The checks cost as much as packing two columns.
    @exclusivity(unchecked) private var writer: RowWriter
    @exclusivity(unchecked) private var ids: ContiguousArray<ObjectID> = []
    /// The key of the row packed last.
    @exclusivity(unchecked) private var lastKey = Int64.min
    /// Whether keys grew from row to row.
    @exclusivity(unchecked) private(set) var isInOrder = true
    /// Why a row could not be packed.
    private var failure: StoreError?

    /// sqlite.org/limits.html: 100 arguments unless built otherwise.
    private static let mostColumns = 100

    /// - Parameter output: rows; or IDs alone, for which the first columns are enough.
    init(codec: RowCodec, store: StoreNumber, output: FetchPlan.Output = .rows) {
        self.codec = codec
        self.output = output
        argumentCount = Int32(output == .ids ? codec.idColumnCount : codec.columns.count)
        writer = RowWriter(store: store)
    }

    /// Whether a function can take all columns of the codec.
    static func suits(_ codec: RowCodec) -> Bool { codec.columns.count <= mostColumns }

    /// Runs a statement of the form `SELECT cairn_pack(…) …` to its end and returns the rows, or
    /// IDs.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func run(
        _ statement: SQLiteStatement, on connection: SQLiteConnection
    ) throws(StoreError) -> RowBatch {
        defer { statement.reset() }
        while try step(statement, on: connection) {}
        guard output == .ids else { return writer.takeBatch() }
        defer { ids = [] }
        return RowBatch(ids: ids)
    }

    /// Steps a statement of the form `SELECT cairn_row(…) …` once and returns its row; nil at the
    /// end. The statement yields the columns themselves where they are more than a function takes.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func nextRow(
        _ statement: SQLiteStatement, on connection: SQLiteConnection
    ) throws(StoreError) -> Row? {
        guard try step(statement, on: connection) else { return nil }
        if !Self.suits(codec) { try codec.read(statement, into: &writer) }
        return writer.takeRow()
    }

    private func step(
        _ statement: SQLiteStatement, on connection: SQLiteConnection
    ) throws(StoreError) -> Bool {
        connection.packing.current = .passUnretained(self)
        defer { connection.packing.current = nil }
        do throws(StoreError) {
            return try statement.step()
        } catch {
            // The statement only knows that the function failed.
            throw failure ?? error
        }
    }

    @inline(__always) private func pack(_ columns: ArgumentColumns) throws(StoreError) {
        if output == .ids {
            ids.append(try codec.readID(columns))
        } else {
            try codec.read(columns, into: &writer)
        }
        let key = columns.int64(RowCodec.keyColumn)
        if lastKey >= key { isInOrder = false }
        lastKey = key
    }

    // MARK: The functions

    /// Where the functions of one connection find the packing they work for.
    final class Seat {
        /// Set while a statement is stepped, by who holds the packing.
        @exclusivity(unchecked) fileprivate(set) var current: Unmanaged<RowStatement>?
    }

    /// Makes the functions known to a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func register(on connection: SQLiteConnection) throws(StoreError) {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
        // The connection holds its seat, and closes itself before it lets go of it.
        let seat = Unmanaged.passUnretained(connection.packing).toOpaque()
        let aggregate = sqlite3_create_function_v2(
            connection.handle, "cairn_pack", -1, flags, seat, nil, pack, finish, nil)
        try connection.check(aggregate, "register cairn_pack")
        let function = sqlite3_create_function_v2(
            connection.handle, "cairn_row", -1, flags, seat, pack, nil, nil, nil)
        try connection.check(function, "register cairn_row")
    }

    private static let pack:
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void =
            { context, count, arguments in
                guard let arguments, let seat = sqlite3_user_data(context),
                    let packing = Unmanaged<Seat>.fromOpaque(seat)
                        ._withUnsafeGuaranteedRef({ $0.current })
                else { return sqlite3_result_error(context, "nothing is packed", -1) }
                packing._withUnsafeGuaranteedRef { packing in
                    guard count == packing.argumentCount else {
                        return sqlite3_result_error(context, "other columns are packed", -1)
                    }
                    do throws(StoreError) {
                        try packing.pack(ArgumentColumns(arguments))
                    } catch {
                        packing.failure = error
                        sqlite3_result_error(context, "a row could not be packed", -1)
                    }
                }
            }

    private static let finish: @convention(c) (OpaquePointer?) -> Void = { context in
        sqlite3_result_null(context)
    }
}

import CairnCSQLite
import CairnModel
import CairnStore

/// Packs rows inside of SQLite: an aggregate function whose arguments are a row's columns.
///
/// One step of the statement runs the whole query, which saves a good part of what stepping row by
/// row and asking for each column costs. The function finds the packing that it works for in its
/// first argument, a pointer that only this process can bind.
final class RowPacking {
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

    /// sqlite.org/limits.html: 100 arguments unless built otherwise; the pointer is one.
    private static let mostColumns = 99
    /// SQLite compares it by text, and keeps the pointer to it.
    private static let pointerType: StaticString = "cairn_packing"

    /// - Parameter output: rows; or IDs alone, for which the first two columns are enough.
    init(codec: RowCodec, store: StoreNumber, output: FetchPlan.Output = .rows) {
        self.codec = codec
        self.output = output
        argumentCount = Int32(1 + (output == .ids ? 2 : codec.columns.count))
        writer = RowWriter(store: store)
    }

    /// Whether a function can take all columns of the codec.
    static func suits(_ codec: RowCodec) -> Bool { codec.columns.count <= mostColumns }

    /// Runs a statement of the form `SELECT cairn_pack(?, …) …` to its end and returns the rows, or
    /// IDs.
    ///
    /// Only the first parameter is bound here.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func run(
        _ statement: SQLiteStatement, on connection: SQLiteConnection
    ) throws(StoreError) -> RowBatch {
        let code = sqlite3_bind_pointer(
            statement.handle, 1, Unmanaged.passUnretained(self).toOpaque(), Self.pointerTypeText,
            nil)
        try connection.check(code, "bind")
        defer { statement.reset() }
        do throws(StoreError) {
            while try statement.step() {}
        } catch {
            // The statement only knows that the function failed.
            throw failure ?? error
        }
        guard output == .ids else { return writer.takeBatch() }
        defer { ids = [] }
        return RowBatch(ids: ids)
    }

    private func pack(_ columns: ArgumentColumns) throws(StoreError) {
        if output == .ids {
            ids.append(try codec.readID(columns))
        } else {
            try codec.read(columns, into: &writer)
        }
        let key = columns.int64(RowCodec.keyColumn)
        if lastKey >= key { isInOrder = false }
        lastKey = key
    }

    // MARK: The function

    /// Makes the function known to a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func register(on connection: SQLiteConnection) throws(StoreError) {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
        let code = sqlite3_create_function_v2(
            connection.handle, "cairn_pack", -1, flags, nil, nil, step, finish, nil)
        try connection.check(code, "register cairn_pack")
    }

    private static var pointerTypeText: UnsafePointer<CChar> {
        UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static let step:
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void =
            { context, count, arguments in
                guard let arguments, count > 0,
                    let pointer = sqlite3_value_pointer(arguments[0], RowPacking.pointerTypeText)
                else { return sqlite3_result_error(context, "cairn_pack has no packing", -1) }
                // Whoever runs the statement holds it.
                Unmanaged<RowPacking>.fromOpaque(pointer)._withUnsafeGuaranteedRef { packing in
                    guard count == packing.argumentCount else {
                        return sqlite3_result_error(context, "cairn_pack has other columns", -1)
                    }
                    do throws(StoreError) {
                        try packing.pack(ArgumentColumns(arguments + 1))
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

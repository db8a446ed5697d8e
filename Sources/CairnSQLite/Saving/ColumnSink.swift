import CairnCSQLite
import CairnStore
import Foundation

/// Where the value of one column goes: a parameter of a statement, or the column of a table of ours.
///
/// One set of rules says what a value becomes in the store; this is what it does not care about.
protocol ColumnSink {
    func putNull() throws(StoreError)
    func put(_ value: Int64) throws(StoreError)
    func put(_ value: Double) throws(StoreError)
    /// Puts UTF-8 text that stays where it is until the statement has run.
    func put(uncopiedText bytes: UnsafeRawBufferPointer) throws(StoreError)
    /// Puts bytes that stay where they are until the statement has run.
    func put(uncopied bytes: UnsafeRawBufferPointer) throws(StoreError)
    /// Puts a copy of the bytes.
    func put(_ data: Data) throws(StoreError)
}

/// A parameter of a statement.
struct ParameterSink: ColumnSink {
    let statement: SQLiteStatement
    let index: Int

    func putNull() throws(StoreError) { try statement.bindNull(at: index) }
    func put(_ value: Int64) throws(StoreError) { try statement.bind(value, at: index) }
    func put(_ value: Double) throws(StoreError) { try statement.bind(value, at: index) }
    func put(uncopiedText bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try statement.bindUncopied(text: bytes, at: index)
    }
    func put(uncopied bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try statement.bindUncopied(blob: bytes, at: index)
    }
    func put(_ data: Data) throws(StoreError) { try statement.bind(data, at: index) }
    /// Puts a copy of the text.
    func put(_ text: String) throws(StoreError) { try statement.bind(text, at: index) }
}

/// A column of a virtual table, in the call that SQLite asks for it with.
struct ColumnResult: ColumnSink {
    let context: OpaquePointer

    @inline(__always) func putNull() { sqlite3_result_null(context) }
    @inline(__always) func put(_ value: Int64) { sqlite3_result_int64(context, value) }
    @inline(__always) func put(_ value: Double) { sqlite3_result_double(context, value) }

    // A null pointer would be NULL; no characters and no bytes are not nil.

    @inline(__always) func put(uncopiedText bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_result_text(context, "", 0, cairn_sqlite_transient())
        }
        sqlite3_result_text64(
            context, base.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil,
            UInt8(SQLITE_UTF8))
    }

    @inline(__always) func put(uncopied bytes: UnsafeRawBufferPointer) { put(bytes, nil) }

    func put(_ data: Data) {
        data.withUnsafeBytes { put($0, cairn_sqlite_transient()) }
    }

    @inline(__always)
    private func put(_ bytes: UnsafeRawBufferPointer, _ destructor: sqlite3_destructor_type?) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_result_zeroblob(context, 0)
        }
        sqlite3_result_blob64(context, base, UInt64(bytes.count), destructor)
    }
}

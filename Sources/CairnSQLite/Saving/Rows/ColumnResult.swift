import CairnCSQLite
import Foundation

/// A column of a virtual table, during the call in which SQLite requests its value.
struct ColumnResult: ColumnSink {
    let context: OpaquePointer

    @inline(__always) func putNull() { sqlite3_result_null(context) }
    @inline(__always) func put(_ value: Int64) { sqlite3_result_int64(context, value) }
    @inline(__always) func put(_ value: Double) { sqlite3_result_double(context, value) }

    // A null pointer would mean NULL, but empty text and empty blobs are not NULL.

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

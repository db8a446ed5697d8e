import CairnCSQLite
import CairnStore
import Foundation

/// A parameter of a statement.
struct ParameterSink {
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

import CairnCSQLite
import CairnStore
import Foundation

/// The destination of one column's value: a parameter of a statement, or a column of a virtual
/// table.
///
/// ``RowBinding`` decides how a value is stored. It uses this protocol to do so in the same way for
/// all destinations.
protocol ColumnSink {
    func putNull() throws(StoreError)
    func put(_ value: Int64) throws(StoreError)
    func put(_ value: Double) throws(StoreError)
    /// Puts UTF-8 text without copying it. The bytes must stay valid until the statement has run.
    func put(uncopiedText bytes: UnsafeRawBufferPointer) throws(StoreError)
    /// Puts bytes without copying them. They must stay valid until the statement has run.
    func put(uncopied bytes: UnsafeRawBufferPointer) throws(StoreError)
    /// Puts a copy of the bytes.
    func put(_ data: Data) throws(StoreError)
}

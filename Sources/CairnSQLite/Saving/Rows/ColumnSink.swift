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

import BenchmarkRows
import Baselines
import Foundation

/// A baseline that reads and writes the bytes of a binary store without an engine.
final class BinaryBaseline {
    private var bytes: UnsafeMutablePointer<UInt8>?
    private var length = 0
    private var rows: UnsafePointer<UInt8>?
    private var rowLength = 0

    /// Reads a file, verifies its checksum and finds the rows of the items.
    ///
    /// - Throws: ``BaselineFailure``.
    init(reading url: URL) throws {
        try check(bl_file_read(url.path, &bytes, &length), "read \(url.path)")
        try check(bl_binary_rows(bytes, length, &rows, &rowLength), "find the rows")
    }

    deinit { free(bytes) }

    /// Computes the checksum and writes the file.
    ///
    /// - Throws: ``BaselineFailure``.
    func write(to url: URL) throws {
        bl_binary_seal(bytes, length)
        try check(bl_file_write(url.path, bytes, length), "write \(url.path)")
    }

    /// A checksum of the values of all items.
    var checksum: UInt64 { bl_rows_digest(rows, rowLength) }

    /// A checksum of the values of the first item.
    var firstRowChecksum: UInt64 { rows.map { bl_row_digest($0) } ?? 0 }

    /// Returns how many items match, by a loop over the packed rows.
    func count(priceAbove price: Double, ratingBelow rating: Double) -> Int64 {
        bl_rows_count(rows, rowLength, price, rating)
    }

    /// Returns the prices of the items, in the order of their keys.
    ///
    /// - Parameter count: The number of items.
    func prices(_ count: Int) -> [Double] {
        [Double](unsafeUninitializedCapacity: count) { prices, initialized in
            bl_rows_prices(rows, rowLength, prices.baseAddress)
            initialized = count
        }
    }

    /// The bytes before the rows of the items.
    var head: [UInt8] {
        guard let bytes, let rows else { return [] }
        let start = UnsafePointer(bytes)
        return Array(UnsafeBufferPointer(start: start, count: rows - start))
    }

    private func check(_ code: Int32, _ operation: String) throws {
        guard code != 0 else { return }
        throw BaselineFailure(
            library: "file", operation: operation, code: code,
            message: code > 0 ? String(cString: strerror(code)) : "the bytes are not a store's")
    }
}

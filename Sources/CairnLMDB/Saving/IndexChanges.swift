import CairnModel
import CairnStore
import Foundation

/// Entries to take out of one index table and to put into it, written in the order of the table.
struct IndexChanges {
    fileprivate struct Entry {
        /// The key's first bytes as a number, which most comparisons end with.
        let start: UInt64
        let offset: Int
        let byteCount: Int
        let rowKey: Int64
    }

    private let table: LMDBTable
    /// The bytes of all keys.
    private var bytes: [UInt8] = []
    private var removed: [Entry] = []
    private var added: [Entry] = []

    init(_ table: LMDBTable) { self.table = table }

    var isEmpty: Bool { removed.isEmpty && added.isEmpty }

    /// Notes that a row's key is new, goes, or replaces the old row's where it differs.
    ///
    /// - Parameter append: appends the key of a row; nothing where the row is not in the table.
    @inline(__always) mutating func replace(
        rowKey: Int64, old: Row?, new: Row?, append: (Row, inout [UInt8]) -> Void
    ) {
        let start = bytes.count
        if let old { append(old, &bytes) }
        let middle = bytes.count
        if let new { append(new, &bytes) }
        let end = bytes.count
        if start < middle, middle < end, bytes[start..<middle].elementsEqual(bytes[middle..<end]) {
            bytes.removeSubrange(start...)
            return
        }
        if start < middle { removed.append(entry(start..<middle, rowKey)) }
        if middle < end { added.append(entry(middle..<end, rowKey)) }
    }

    private func entry(_ range: Range<Int>, _ rowKey: Int64) -> Entry {
        // The first byte is a mark that hardly differs.
        var start: UInt64 = 0
        bytes.withUnsafeBytes { bytes in
            if range.count >= 9 {
                start = UInt64(
                    bigEndian: bytes.loadUnaligned(
                        fromByteOffset: range.lowerBound + 1, as: UInt64.self))
            } else {
                for index in range.lowerBound + 1..<range.lowerBound + 9 {
                    start = start << 8 | (index < range.upperBound ? UInt64(bytes[index]) : 0)
                }
            }
        }
        return Entry(
            start: start, offset: range.lowerBound, byteCount: range.count, rowKey: rowKey)
    }

    /// Writes all that was noted.
    ///
    /// - Throws: `.engineFailure`, also where the map is full (`isMapFull`).
    func write(_ transaction: LMDBTransaction) throws(StoreError) {
        guard !isEmpty else { return }
        try bytes.withRawBytes { bytes throws(StoreError) in
            for entry in sorted(removed, bytes) {
                try entry.withParts(bytes) { key, value throws(StoreError) in
                    try transaction.delete(key, value: value, in: table)
                }
            }
            let cursor = try transaction.cursor(on: table)
            for entry in sorted(added, bytes) {
                try entry.withParts(bytes) { key, value throws(StoreError) in
                    try cursor.put(value, under: key)
                }
            }
        }
    }

    private func sorted(_ entries: [Entry], _ bytes: UnsafeRawBufferPointer) -> [Entry] {
        entries.sorted { left, right in
            if left.start != right.start { return left.start < right.start }
            // Of short keys, the first bytes and the length say all.
            let isShort = left.byteCount <= 9 && right.byteCount <= 9
            let order =
                isShort
                ? left.byteCount - right.byteCount
                : KeyRange.order(left.key(bytes), right.key(bytes))
            return order == 0 ? left.rowKey < right.rowKey : order < 0
        }
    }
}

extension IndexChanges.Entry {
    fileprivate func key(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + byteCount])
    }

    fileprivate func withParts(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        var value = rowKey.littleEndian
        try withUnsafeBytes(of: &value) { value throws(StoreError) in try body(key(bytes), value) }
    }
}

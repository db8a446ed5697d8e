import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Entries to remove from and to add to one index table. They are written in the order of the
/// table.
struct IndexChanges {
    fileprivate struct Entry {
        /// The key's first bytes as a number, which decides most comparisons.
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

    /// Notes that a row's key is added, removed, or replaced if the new key differs from the old
    /// one.
    ///
    /// - Parameter append: Appends the key of a row, or nothing if the row is not in the table.
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
        // Skip the first byte, which is a mark and rarely differs.
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

    /// Writes all noted changes.
    ///
    /// - Throws: `.engineFailure`, including if the map is full (`isMapFull`).
    func write(_ transaction: LMDBTransaction) throws(StoreError) {
        guard !isEmpty else { return }
        try bytes.withRawBytes { bytes throws(StoreError) in
            for entry in sorted(removed, bytes) {
                try entry.withParts(bytes) { key, value throws(StoreError) in
                    try transaction.delete(key, value: value, in: table)
                }
            }
            var cursor = try transaction.cursor(on: table)
            try put(sorted(added, bytes), bytes, &cursor)
        }
    }

    /// Adds entries in their order. If they follow all entries of the table, as with the first rows
    /// of an entity, each new key is the table's last key, and each value is the last value of its
    /// key.
    private func put(
        _ entries: [Entry], _ bytes: UnsafeRawBufferPointer, _ cursor: inout LMDBCursor
    ) throws(StoreError) {
        guard let first = entries.first else { return }
        let last = try cursor.go(.last)
        let isBehind = last.map { KeyRange.order($0.key, first.key(bytes)) < 0 } ?? true
        var previous: Entry?
        for entry in entries {
            let position: LMDBCursor.Position =
                if !isBehind {
                    .anywhere
                } else if let previous, previous.hasKey(of: entry, bytes) {
                    previous.rowKey < entry.rowKey ? .newLastValue : .anywhere
                } else {
                    .newLastKey
                }
            try entry.withParts(bytes) { key, value throws(StoreError) in
                try cursor.put(value, under: key, position)
            }
            previous = entry
        }
    }

    private func sorted(_ entries: [Entry], _ bytes: UnsafeRawBufferPointer) -> [Entry] {
        RadixSort.sorted(entries, by: \.start) { left, right in
            if left.start != right.start { return left.start < right.start }
            let order =
                left.isShort && right.isShort
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

    /// Whether ``start`` and the length determine the complete key. They do not for a key that is
    /// only a mark, as for `nil` and for an empty text.
    fileprivate var isShort: Bool { 2...9 ~= byteCount }

    /// Whether both entries have the same key.
    fileprivate func hasKey(of other: Self, _ bytes: UnsafeRawBufferPointer) -> Bool {
        start == other.start && byteCount == other.byteCount
            && (isShort || KeyRange.order(key(bytes), other.key(bytes)) == 0)
    }

    fileprivate func withParts(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        var value = rowKey.littleEndian
        try withUnsafeBytes(of: &value) { value throws(StoreError) in try body(key(bytes), value) }
    }
}

import CairnModel
import Foundation

/// Methods that write bytes into the current row.
extension RowWriter {
    @inlinable @inline(__always) mutating func put<T: FixedWidthInteger & BitwiseCopyable>(
        _ value: T, _ slot: RowLayout.Slot
    ) {
        store(value, at: Int(slot.offset))
        clearNull(slot)
    }

    @inlinable @inline(__always) mutating func clearNull(_ slot: RowLayout.Slot) {
        let word = RowLayout.headerByteCount + Int(slot.index) / 64 * 8
        let bits = UInt64(littleEndian: (base + word).loadUnaligned(as: UInt64.self))
        store(bits & ~(1 << UInt64(slot.index % 64)), at: word)
    }

    @inlinable @inline(__always) func store<T: FixedWidthInteger & BitwiseCopyable>(
        _ value: T, at offset: Int
    ) {
        (base + offset).storeBytes(of: value.littleEndian, as: T.self)
    }

    /// Records the ends of the variable slots before `count`. Slots that were skipped are empty.
    @inlinable @inline(__always) mutating func noteEnds(upTo count: Int) {
        while nextVariable < count {
            store(
                UInt32(truncatingIfNeeded: length - payloadOffset),
                at: endsOffset + 4 * nextVariable)
            nextVariable += 1
        }
    }

    /// Makes room for `more` additional bytes.
    @inlinable @inline(__always) mutating func reserve(_ more: Int) {
        if length + more > room { moveToNewSlab(for: more) }
    }
}

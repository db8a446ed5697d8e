import CairnAtomicStore
import CairnEngineKit
import CairnFiles
import CairnRows

/// Collects little-endian numbers and blocks of bytes in order. The bytes of rows are not copied.
struct FilePartsWriter {
    private(set) var parts: FileParts

    /// - Parameter table: The table whose rows are written.
    init(of table: StoreTable) { parts = FileParts(owner: table) }

    var count: Int { parts.count }
    /// Returns the offset of the next appended number among the writer's own bytes, for use with
    /// ``put(_:atOwn:)``.
    mutating func nextOwnOffset() -> Int { parts.nextOwnOffset() }

    mutating func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { parts.append($0) }
    }

    /// Appends rows of the table.
    ///
    /// - Returns: The number of rows.
    mutating func append(_ rows: RowRun) -> Int {
        // The bytes outlive the call, because the table keeps its slabs alive.
        rows.forEachBytes { parts.append(held: $0) }
        return rows.count
    }

    mutating func append(_ block: [UInt8]) { block.withUnsafeBytes { parts.append($0) } }

    /// Appends zero bytes up to a multiple of 8.
    mutating func pad() {
        while parts.count % 8 != 0 { append(0 as UInt8) }
    }

    /// Returns the checksum of all bytes from an offset.
    ///
    /// - Precondition: There are no rows before the offset.
    func checksum(from offset: Int) -> UInt64 {
        parts.withParts { parts in
            var parts = parts
            parts[0] = UnsafeRawBufferPointer(rebasing: parts[0][offset...])
            return Checksum.of(parts)
        }
    }

    /// Overwrites the writer's own bytes at an offset with a number.
    ///
    /// - Precondition: The own bytes contain the whole number at the offset.
    mutating func put<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, atOwn offset: Int) {
        withUnsafeBytes(of: value.littleEndian) { parts.overwrite($0, atOwn: offset) }
    }
}

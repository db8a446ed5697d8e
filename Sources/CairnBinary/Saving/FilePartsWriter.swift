import CairnAtomicStore
import CairnFiles
import CairnStore

/// Gathers little-endian numbers and blocks; rows stay where they are.
struct FilePartsWriter {
    private(set) var parts: FileParts

    /// - Parameter table: whose rows are written.
    init(of table: StoreTable) { parts = FileParts(owner: table) }

    var count: Int { parts.count }
    /// Returns where the number that is appended next will be for ``put(_:atOwn:)``.
    mutating func nextOwnPlace() -> Int { parts.nextOwnPlace() }

    mutating func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { parts.append($0) }
    }

    /// Appends rows of the table.
    ///
    /// - Returns: how many there are.
    mutating func append(_ rows: RowRun) -> Int {
        // The table keeps the slabs, so that the bytes outlive the call.
        rows.forEachBytes { parts.append(held: $0) }
        return rows.count
    }

    mutating func append(_ block: [UInt8]) { block.withUnsafeBytes { parts.append($0) } }

    /// Adds zero bytes up to a multiple of 8.
    mutating func pad() {
        while parts.count % 8 != 0 { append(0 as UInt8) }
    }

    /// The checksum of all bytes from an offset on.
    ///
    /// - Precondition: no row stands before the offset.
    func checksum(from offset: Int) -> UInt64 {
        parts.withParts { parts in
            var parts = parts
            parts[0] = UnsafeRawBufferPointer(rebasing: parts[0][offset...])
            return Checksum.of(parts)
        }
    }

    /// Writes a number over the own bytes that stand at a place.
    ///
    /// - Precondition: so many bytes are there.
    mutating func put<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, atOwn place: Int) {
        withUnsafeBytes(of: value.littleEndian) { parts.overwrite($0, atOwn: place) }
    }
}

import CairnStore

/// Gathers little-endian numbers and blocks.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ block: UnsafeRawBufferPointer) { bytes.append(contentsOf: block) }

    /// Appends rows; those that stand side by side in memory as one block.
    ///
    /// - Returns: how many rows there are.
    mutating func append(_ rows: UnsafeBufferPointer<Row>) -> Int {
        var place = 0
        while place < rows.count {
            rows[place].withBytes { first in
                var count = first.count
                place += 1
                while place < rows.count, let start = first.baseAddress,
                    rows[place].begins(at: start + count)
                {
                    count += rows[place].byteCount
                    place += 1
                }
                append(UnsafeRawBufferPointer(start: first.baseAddress, count: count))
            }
        }
        return rows.count
    }

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func append(_ block: [UInt8]) { bytes.append(contentsOf: block) }

    /// Adds zero bytes up to a multiple of 8.
    mutating func pad() {
        while bytes.count % 8 != 0 { bytes.append(0) }
    }

    /// The checksum of all bytes from an offset on.
    func checksum(from offset: Int) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }

    /// Writes a number over the ones that stand at an offset.
    ///
    /// - Precondition: so many bytes are there.
    mutating func put<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
        }
    }
}

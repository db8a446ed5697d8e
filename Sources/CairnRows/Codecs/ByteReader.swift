/// Reads little-endian numbers and blocks from bytes. Each read returns `nil` if too few bytes are
/// left.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// The number of bytes that were read or skipped.
    package private(set) var offset = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The number of bytes that are left.
    package var rest: Int { bytes.count - offset }

    /// Skips `count` bytes, or all remaining bytes if there are fewer.
    package mutating func skip(_ count: Int) { offset += min(max(count, 0), rest) }

    package mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T? {
        take(MemoryLayout<T>.size).map { T(littleEndian: $0.loadUnaligned(as: type)) }
    }

    /// Reads a number from its bit pattern.
    package mutating func double() -> Double? {
        integer(UInt64.self).map(Double.init(bitPattern:))
    }

    package mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= rest else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// Reads a length, and the block that follows it.
    package mutating func block<Length: FixedWidthInteger & BitwiseCopyable>(
        behind length: Length.Type
    ) -> UnsafeRawBufferPointer? {
        integer(length).flatMap { Int(exactly: $0) }.flatMap { take($0) }
    }
}

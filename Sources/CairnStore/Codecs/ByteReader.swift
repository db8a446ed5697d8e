/// Reads little-endian numbers and blocks from bytes; every read says nil where they end.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// How many bytes were read.
    package private(set) var offset = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// How many bytes are left.
    package var rest: Int { bytes.count - offset }

    /// Passes over bytes; over what is left where that is less.
    package mutating func skip(_ count: Int) { offset += min(max(count, 0), rest) }

    package mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T? {
        take(MemoryLayout<T>.size).map { T(littleEndian: $0.loadUnaligned(as: type)) }
    }

    /// A number by its bits.
    package mutating func double() -> Double? {
        integer(UInt64.self).map(Double.init(bitPattern:))
    }

    package mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= rest else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// A block behind its length.
    package mutating func block<Length: FixedWidthInteger & BitwiseCopyable>(
        behind length: Length.Type
    ) -> UnsafeRawBufferPointer? {
        integer(length).flatMap { Int(exactly: $0) }.flatMap { take($0) }
    }
}

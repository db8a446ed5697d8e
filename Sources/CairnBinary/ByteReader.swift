/// Reads little-endian numbers and blocks from bytes; every read says nil where they end.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// How many bytes were read.
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// How many bytes are left.
    var rest: Int { bytes.count - offset }

    /// Passes over bytes; over what is left where that is less.
    mutating func skip(_ count: Int) { offset += min(max(count, 0), rest) }

    mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T? {
        take(MemoryLayout<T>.size).map { T(littleEndian: $0.loadUnaligned(as: type)) }
    }

    mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= rest else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }
}

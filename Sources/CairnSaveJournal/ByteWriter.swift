/// Writes little-endian numbers, and blocks that begin with their lengths, in the form that
/// `ByteReader` reads.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append<T: FixedWidthInteger>(_ number: T) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ content: UnsafeRawBufferPointer) { bytes.append(contentsOf: content) }

    mutating func append(block: some Collection<UInt8>) {
        append(UInt64(block.count))
        bytes.append(contentsOf: block)
    }

    /// Appends whether the text is present, followed by the text.
    mutating func append(_ text: String?) {
        append(UInt8(text == nil ? 0 : 1))
        if let text { append(block: text.utf8) }
    }

    /// Appends whether the number is present, followed by the number.
    mutating func append(_ number: Int64?) {
        append(UInt8(number == nil ? 0 : 1))
        if let number { append(number) }
    }
}

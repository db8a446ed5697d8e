import CairnStore

/// Values with a checksum before them: a u64, the ``Checksum`` of the bytes that follow it.
enum Sealed {
    static let sealByteCount = 8

    /// Returns the bytes after the checksum. Returns `nil` if they are not what was written.
    @inline(__always) static func open(
        _ value: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        guard value.count >= sealByteCount else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: value[sealByteCount...])
        let seal = UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
        return seal == Checksum.of(content) ? content : nil
    }

    /// Writes a checksum and the bytes into a buffer of exactly their length.
    @inline(__always) static func seal(
        _ content: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) {
        buffer.storeBytes(of: Checksum.of(content).littleEndian, as: UInt64.self)
        UnsafeMutableRawBufferPointer(rebasing: buffer[sealByteCount...]).copyMemory(from: content)
    }

    /// Writes the bytes as the body changes them, and their checksum, into a buffer of exactly their
    /// length.
    static func seal(
        _ content: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer,
        changedBy change: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        let copy = UnsafeMutableRawBufferPointer(rebasing: buffer[sealByteCount...])
        copy.copyMemory(from: content)
        change(copy)
        let seal = Checksum.of(UnsafeRawBufferPointer(copy))
        buffer.storeBytes(of: seal.littleEndian, as: UInt64.self)
    }

    static func seal(_ content: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: content.count + sealByteCount) { buffer, count in
            count = content.count + sealByteCount
            let buffer = UnsafeMutableRawBufferPointer(
                start: buffer.baseAddress, count: count)
            content.withUnsafeBytes { seal($0, into: buffer) }
        }
    }
}

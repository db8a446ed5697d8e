import CairnRows

/// Values that are preceded by a checksum: a u64 with the ``Checksum`` of the bytes after it.
enum Sealed {
    static let sealByteCount = 8

    /// Returns the bytes after the checksum, or `nil` if they do not match the checksum.
    @inline(__always) static func open(
        _ value: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        guard value.count >= sealByteCount else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: value[sealByteCount...])
        let seal = UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
        return seal == Checksum.of(content) ? content : nil
    }

    /// Writes a checksum and the bytes into a buffer of exactly the required length.
    @inline(__always) static func seal(
        _ content: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) {
        buffer.storeBytes(of: Checksum.of(content).littleEndian, as: UInt64.self)
        UnsafeMutableRawBufferPointer(rebasing: buffer[sealByteCount...]).copyMemory(from: content)
    }

    /// Copies the bytes into a buffer of exactly the required length, changes them with the body,
    /// and writes their checksum.
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

import CairnStore

/// Values after their checksum: u64 ``Checksum`` of the bytes that follow it.
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

    /// Writes a checksum and the bytes into a place of exactly their length.
    @inline(__always) static func seal(
        _ content: UnsafeRawBufferPointer, into place: UnsafeMutableRawBufferPointer
    ) {
        place.storeBytes(of: Checksum.of(content).littleEndian, as: UInt64.self)
        UnsafeMutableRawBufferPointer(rebasing: place[sealByteCount...]).copyMemory(from: content)
    }

    /// Writes the bytes as the body changes them, and their checksum, into a place of exactly their
    /// length.
    static func seal(
        _ content: UnsafeRawBufferPointer, into place: UnsafeMutableRawBufferPointer,
        changedBy change: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        let copy = UnsafeMutableRawBufferPointer(rebasing: place[sealByteCount...])
        copy.copyMemory(from: content)
        change(copy)
        let seal = Checksum.of(UnsafeRawBufferPointer(copy))
        place.storeBytes(of: seal.littleEndian, as: UInt64.self)
    }

    static func seal(_ content: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: content.count + sealByteCount) { place, count in
            count = content.count + sealByteCount
            let place = UnsafeMutableRawBufferPointer(
                start: place.baseAddress, count: count)
            content.withUnsafeBytes { seal($0, into: place) }
        }
    }
}

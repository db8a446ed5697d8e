/// A 64-bit hash of a sequence of words. It detects damage and mistakes, but does not protect
/// against deliberate changes.
struct ContentHash {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Adds a word. The two halves of the product are combined, so that each bit of the word
    /// affects all bits of the hash.
    @inline(__always) mutating func add(_ word: UInt64) {
        let product = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        value = (product.high ^ product.low) &+ 0x2545_F491_4F6C_DD1D
    }

    /// Adds bytes. Their number must be a multiple of 8.
    @inline(__always) mutating func add(_ bytes: UnsafeRawBufferPointer) {
        for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
    }
}

/// A hash of 64 bits, made of words one after another. Finds damage and mistakes; keeps nothing secret.
struct ContentHash {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Adds a word: the product's halves are folded, so that each bit of the word changes all others.
    @inline(__always) mutating func add(_ word: UInt64) {
        let product = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        value = (product.high ^ product.low) &+ 0x2545_F491_4F6C_DD1D
    }

    /// Adds bytes, whose number is a multiple of 8.
    @inline(__always) mutating func add(_ bytes: UnsafeRawBufferPointer) {
        for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
    }
}

/// Writes a deflate stream bit by bit, starting with the lowest bit of each byte.
struct BitWriter {
    private var bytes: [UInt8] = []
    private var held = 0
    private var heldCount = 0

    /// Writes the lowest bits of a value.
    mutating func write(_ value: Int, _ count: Int) {
        held |= value << heldCount
        heldCount += count
        while heldCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: held))
            held >>= 8
            heldCount -= 8
        }
    }

    mutating func write(_ code: HuffmanCode, _ symbol: Int) {
        write(code.codes[symbol], code.lengths[symbol])
    }

    /// Completes the last byte with zeros, and returns all bytes.
    mutating func finish() -> [UInt8] {
        if heldCount > 0 { bytes.append(UInt8(truncatingIfNeeded: held)) }
        return bytes
    }
}

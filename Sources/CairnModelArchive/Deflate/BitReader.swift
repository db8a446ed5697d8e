/// Reads a deflate stream bit by bit, starting with the lowest bit of each byte.
struct BitReader {
    private let bytes: [UInt8]
    private(set) var offset = 0
    private var held: UInt64 = 0
    private var heldCount = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads up to 32 bits.
    ///
    /// - Throws: `.damaged` if the stream contains fewer bits.
    mutating func take(_ count: Int) throws(DeflateError) -> Int {
        fill()
        guard heldCount >= count else { throw ended }
        let value = Int(held & ((1 << UInt64(count)) - 1))
        drop(count)
        return value
    }

    /// Returns the next bits without consuming them. Bits after the end of the stream are zeros.
    mutating func peek(_ count: Int) -> Int {
        fill()
        return Int(held & ((1 << UInt64(count)) - 1))
    }

    /// Consumes bits that ``peek(_:)`` has returned.
    ///
    /// - Throws: `.damaged` if they are after the end of the stream.
    mutating func skip(_ count: Int) throws(DeflateError) {
        guard heldCount >= count else { throw ended }
        drop(count)
    }

    /// Skips the rest of the current byte.
    mutating func alignToByte() {
        drop(heldCount % 8)
    }

    private mutating func fill() {
        while heldCount <= 48, offset < bytes.count {
            held |= UInt64(bytes[offset]) << UInt64(heldCount)
            heldCount += 8
            offset += 1
        }
    }

    private mutating func drop(_ count: Int) {
        held >>= UInt64(count)
        heldCount -= count
    }

    private var ended: DeflateError {
        .damaged(offset: offset, detail: "the data ends too early")
    }
}

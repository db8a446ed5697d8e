/// Reads a deflate stream bit by bit, the lowest bit of a byte first.
struct BitReader {
    private let bytes: [UInt8]
    private(set) var offset = 0
    private var held: UInt64 = 0
    private var heldCount = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Takes up to 32 bits.
    ///
    /// - Throws: `.damagedCompression` where the stream ends.
    mutating func take(_ count: Int) throws(ModelArchiveError) -> Int {
        fill()
        guard heldCount >= count else { throw ended }
        let value = Int(held & ((1 << UInt64(count)) - 1))
        drop(count)
        return value
    }

    /// Returns the next bits without taking them, zeros beyond the end.
    mutating func peek(_ count: Int) -> Int {
        fill()
        return Int(held & ((1 << UInt64(count)) - 1))
    }

    /// Takes bits that were looked at.
    ///
    /// - Throws: `.damagedCompression` where they are beyond the end.
    mutating func skip(_ count: Int) throws(ModelArchiveError) {
        guard heldCount >= count else { throw ended }
        drop(count)
    }

    /// Forgets what is left of the byte.
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

    private var ended: ModelArchiveError {
        .damagedCompression(offset: offset, detail: "it ends too soon")
    }
}

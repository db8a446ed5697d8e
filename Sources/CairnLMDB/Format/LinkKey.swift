/// The key of a link: the key of the object that the link starts from, then the key of the object
/// that it leads to. Both are stored as big-endian i64, so that all links of an object are
/// adjacent.
struct LinkKey {
    static let byteCount = 16
    private var words: (UInt64, UInt64)

    init(_ owner: Int64, _ member: Int64) {
        words = (UInt64(bitPattern: owner).bigEndian, UInt64(bitPattern: member).bigEndian)
    }

    /// Returns `nil` if the bytes are not the key of a link.
    @inline(__always) init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        words = (
            bytes.loadUnaligned(as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
    }

    var owner: Int64 { Int64(bitPattern: UInt64(bigEndian: words.0)) }
    var member: Int64 { Int64(bitPattern: UInt64(bigEndian: words.1)) }

    @inline(__always) func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBytes(of: words, body)
    }
}

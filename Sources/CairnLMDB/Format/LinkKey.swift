import CairnRows

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

/// The value of a link: the member's concrete entity as u16, then, if the member has an order key
/// among the owner's members, that key as i64.
struct LinkValue {
    var entity: StoreEntityNumber
    var orderKey: Int64?

    init(entity: StoreEntityNumber, orderKey: Int64? = nil) {
        self.entity = entity
        self.orderKey = orderKey
    }

    /// Returns `nil` if the bytes are not the value of a link.
    @inline(__always) init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 2 || bytes.count == 10 else { return nil }
        entity = StoreEntityNumber(UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self)))
        if bytes.count == 10 {
            orderKey = Int64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: Int64.self))
        }
    }

    @inline(__always) func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes: (UInt64, UInt64) = (0, 0)
        return try withUnsafeMutableBytes(of: &bytes) { buffer throws(Failure) in
            buffer.storeBytes(of: entity.rawValue.littleEndian, as: UInt16.self)
            if let orderKey {
                buffer.storeBytes(of: orderKey.littleEndian, toByteOffset: 2, as: Int64.self)
            }
            let count = orderKey == nil ? 2 : 10
            return try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

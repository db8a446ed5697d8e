import CairnStore

/// What a link says of the member: u16 concrete entity, and where it stands among the owner's
/// members as i64, or nothing.
struct LinkValue {
    var entity: StoreEntityNumber
    var orderKey: Int64?

    init(entity: StoreEntityNumber, orderKey: Int64? = nil) {
        self.entity = entity
        self.orderKey = orderKey
    }

    /// - Returns: `nil` if the bytes are no link's value.
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

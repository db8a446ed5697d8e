/// The number of a row's slab and the row's offset in it. An address takes 8 bytes and involves no
/// reference counting.
@frozen @usableFromInline package struct RowAddress: BitwiseCopyable, Sendable {
    @usableFromInline package let slab: UInt32
    @usableFromInline package let offset: UInt32

    @inlinable package init(slab: UInt32, offset: UInt32) {
        self.slab = slab
        self.offset = offset
    }
}

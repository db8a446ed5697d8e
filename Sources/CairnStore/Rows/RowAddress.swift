/// The number of the slab that a row is in, and the row's offset there: 8 bytes, and no reference to
/// count.
@frozen @usableFromInline package struct RowAddress: BitwiseCopyable, Sendable {
    @usableFromInline package let slab: UInt32
    @usableFromInline package let offset: UInt32

    @inlinable package init(slab: UInt32, offset: UInt32) {
        self.slab = slab
        self.offset = offset
    }
}

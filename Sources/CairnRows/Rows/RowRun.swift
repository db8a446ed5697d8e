/// Consecutive rows of a table, read without reference counting.
package struct RowRun {
    package let addresses: UnsafeBufferPointer<RowAddress>
    /// The slabs by number. `nil` for an unused number.
    package let slabs: ContiguousArray<RowSlab?>

    /// - Precondition: `slabs` contains the slab of each address.
    package init(
        _ addresses: UnsafeBufferPointer<RowAddress>, in slabs: ContiguousArray<RowSlab?>
    ) {
        self.addresses = addresses
        self.slabs = slabs
    }

    /// The number of rows.
    package var count: Int { addresses.count }

    /// Returns a pointer to the row at an address. Valid as long as the run's slabs are held.
    @inline(__always) package func pointer(at address: RowAddress) -> RowPointer? {
        slabs[Int(address.slab)].map { RowPointer(UnsafeRawPointer($0.base + Int(address.offset))) }
    }

    /// Calls the body with the bytes of each row. The bytes are valid as long as the run's slabs
    /// are held.
    package func forEachBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        for address in addresses {
            guard let row = pointer(at: address) else { continue }
            body(UnsafeRawBufferPointer(start: row.bytes, count: row.byteCount))
        }
    }
}

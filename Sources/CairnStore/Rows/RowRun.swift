/// Rows that follow each other in a table, read where they stand: no reference is counted for any.
package struct RowRun {
    let addresses: UnsafeBufferPointer<RowAddress>
    /// The slabs by number. `nil` for a number that is not in use.
    let slabs: ContiguousArray<RowSlab?>

    /// - Precondition: `slabs` has the slab of each address.
    package init(
        _ addresses: UnsafeBufferPointer<RowAddress>, in slabs: ContiguousArray<RowSlab?>
    ) {
        self.addresses = addresses
        self.slabs = slabs
    }

    /// How many rows there are.
    package var count: Int { addresses.count }

    /// The values of the row at an address. Valid as long as the run's slabs are held.
    @inline(__always) func pointer(at address: RowAddress) -> RowPointer? {
        slabs[Int(address.slab)].map { RowPointer(UnsafeRawPointer($0.base + Int(address.offset))) }
    }

    /// Calls the body with the bytes of each row. They are valid as long as the run's slabs are
    /// held.
    package func forEachBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        for address in addresses {
            guard let row = pointer(at: address) else { continue }
            body(UnsafeRawBufferPointer(start: row.bytes, count: row.byteCount))
        }
    }
}

/// Rows that follow each other in a table, read where they stand: no reference is counted for any.
package struct RowRun {
    let places: UnsafeBufferPointer<RowPlace>
    /// By number. `nil` for a number that is not in use.
    let slabs: ContiguousArray<RowSlab?>

    /// - Precondition: the slab of each place is there.
    package init(_ places: UnsafeBufferPointer<RowPlace>, in slabs: ContiguousArray<RowSlab?>) {
        self.places = places
        self.slabs = slabs
    }

    /// How many rows there are.
    package var count: Int { places.count }

    /// The values of the row at a place: good while the run's slabs are held.
    @inline(__always) func pointer(at place: RowPlace) -> RowPointer? {
        slabs[Int(place.slab)].map { RowPointer(UnsafeRawPointer($0.base + Int(place.offset))) }
    }

    /// Calls the body with the bytes of each row: good while the run's slabs are held.
    package func forEachBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        for place in places {
            guard let row = pointer(at: place) else { continue }
            body(UnsafeRawBufferPointer(start: row.bytes, count: row.byteCount))
        }
    }
}

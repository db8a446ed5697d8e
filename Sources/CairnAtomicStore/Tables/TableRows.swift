import CairnStore

/// The rows of a root entity's hierarchy in one state of a table, by key.
///
/// The table keeps the place of each row, not the row: so taking thousands that were read from a
/// file, copying a chunk that changes and scanning count no reference for each.
package struct TableRows: Sendable {
    private let places: SortedMap<Int64, RowAddress>
    /// By number. `nil` for a number that is not in use.
    private let slabs: ContiguousArray<RowSlab?>

    init(_ places: SortedMap<Int64, RowAddress>, in slabs: ContiguousArray<RowSlab?>) {
        self.places = places
        self.slabs = slabs
    }

    /// How many rows there are.
    package var count: Int { places.count }
    package var isEmpty: Bool { places.isEmpty }
    /// nil where there is no row.
    package var highestKey: Int64? { places.last?.key }

    /// Returns the row of a key. Returns `nil` if it does not exist.
    package subscript(key: Int64) -> Row? { places[key].flatMap(row(at:)) }

    /// Returns the places of the rows of keys, in the order of the keys. Keys without a row are left out.
    ///
    /// - Precondition: the keys ascend.
    func places(of keys: ArraySlice<Int64>) -> [RowAddress] { places.values(ofAscending: keys) }

    /// The rows at places that this gave.
    func run(of places: UnsafeBufferPointer<RowAddress>) -> RowRun { RowRun(places, in: slabs) }

    func row(at place: RowAddress) -> Row? {
        slabs[Int(place.slab)]?.row(at: Int(place.offset))
    }

    // MARK: Walking

    package typealias Position = SortedMap<Int64, RowAddress>.Position

    /// The place before the first row.
    package var start: Position { places.start }

    /// Returns the row after the position and moves it after that. Returns `nil` at the end.
    package func next(_ position: inout Position) -> (key: Int64, row: Row)? {
        guard let (key, place) = places.next(&position), let row = row(at: place) else {
            return nil
        }
        return (key, row)
    }

    /// Calls the body with some of the rows after the position, at least one, and moves it after as
    /// many as the body says it used. `nil` at the end.
    ///
    /// - Throws: what the body throws.
    package func withRun<Failure: Error>(
        from position: inout Position, _ body: (RowRun) throws(Failure) -> Int
    ) throws(Failure) -> Int? {
        try places.withRun(from: &position) { places throws(Failure) in
            try body(RowRun(places, in: slabs))
        }
    }
}

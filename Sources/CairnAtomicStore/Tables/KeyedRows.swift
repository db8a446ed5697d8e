import CairnStore

/// The rows of some keys, looked up many at a time, so that none is a reference to count.
struct KeyedRows {
    /// Not looked up yet, ascending.
    private var keys: ArraySlice<Int64>
    /// Looked up, and not used yet.
    private var places: ArraySlice<RowAddress> = []

    /// - Parameter keys: ascending. Keys without a row are left out.
    init(_ keys: [Int64]) { self.keys = keys[...] }

    /// About how many rows are left.
    var count: Int { keys.count + places.count }

    /// Calls the body with some of the next rows, at least one, and passes over as many as the body says
    /// it used. `nil` at the end.
    ///
    /// - Throws: what the body throws.
    mutating func withRun<Failure: Error>(
        in rows: TableRows, _ body: (RowRun) throws(Failure) -> Int
    ) throws(Failure) -> Int? {
        guard find(in: rows) else { return nil }
        let used = try places.withUnsafeBufferPointer { places throws(Failure) in
            try body(rows.run(of: places))
        }
        places = places.dropFirst(used)
        return used
    }

    /// Returns the next row. Returns `nil` at the end.
    mutating func next(in rows: TableRows) -> Row? {
        while find(in: rows), let place = places.popFirst() {
            if let row = rows.row(at: place) { return row }
        }
        return nil
    }

    /// Sees to it that a row is looked up; false at the end.
    private mutating func find(in rows: TableRows) -> Bool {
        while places.isEmpty {
            if keys.isEmpty { return false }
            let next = keys.prefix(256)
            keys = keys.dropFirst(next.count)
            places = rows.places(of: next)[...]
        }
        return true
    }
}

import CairnRows

/// The rows with certain keys. Rows are looked up in batches, which avoids reference counting for each row.
struct KeyedRows {
    /// The keys that have not been looked up yet, in ascending order.
    private var keys: ArraySlice<Int64>
    /// The addresses of rows that have been looked up but not used yet.
    private var addresses: ArraySlice<RowAddress> = []

    /// - Parameter keys: the keys in ascending order. Keys without a row are left out.
    init(_ keys: [Int64]) { self.keys = keys[...] }

    /// An upper bound for the number of remaining rows.
    var count: Int { keys.count + addresses.count }

    /// Calls the body with one or more of the next rows. The body returns how many of the rows it used, and
    /// the next call begins after them. Returns that number, or `nil` at the end.
    ///
    /// - Throws: the errors of the body.
    mutating func withRun<Failure: Error>(
        in rows: TableRows, _ body: (RowRun) throws(Failure) -> Int
    ) throws(Failure) -> Int? {
        guard find(in: rows) else { return nil }
        let used = try addresses.withUnsafeBufferPointer { addresses throws(Failure) in
            try body(rows.run(of: addresses))
        }
        addresses = addresses.dropFirst(used)
        return used
    }

    /// Returns the next row, or `nil` at the end.
    mutating func next(in rows: TableRows) -> Row? {
        while find(in: rows), let address = addresses.popFirst() {
            if let row = rows.row(at: address) { return row }
        }
        return nil
    }

    /// Looks up more rows if all rows that were looked up have been used. Returns `false` at the
    /// end.
    private mutating func find(in rows: TableRows) -> Bool {
        while addresses.isEmpty {
            if keys.isEmpty { return false }
            let next = keys.prefix(256)
            keys = keys.dropFirst(next.count)
            addresses = rows.addresses(of: next)[...]
        }
        return true
    }
}

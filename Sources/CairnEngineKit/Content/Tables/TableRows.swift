import CairnModel
import CairnRows

/// The rows of a root entity's hierarchy in one state of a table, sorted by key.
///
/// The table stores the address of each row instead of a reference to it. That avoids reference
/// counting for each row when thousands of rows are loaded from a file, when a chunk is copied
/// before it changes, and when rows are scanned.
package struct TableRows: Sendable {
    private let addresses: SortedMap<Int64, RowAddress>
    /// The slabs by number. `nil` for an unused number.
    private let slabs: GroupedList<RowSlab?>

    init(_ addresses: SortedMap<Int64, RowAddress>, in slabs: GroupedList<RowSlab?>) {
        self.addresses = addresses
        self.slabs = slabs
    }

    /// The number of rows.
    package var count: Int { addresses.count }
    package var isEmpty: Bool { addresses.isEmpty }
    /// The greatest key, or `nil` if there are no rows.
    package var highestKey: Int64? { addresses.last?.key }

    /// Returns the row with a key, or `nil` if there is no such row.
    package subscript(key: Int64) -> Row? { addresses[key].flatMap(row(at:)) }

    /// Returns the addresses of the rows with the given keys, in the same order. Keys without a row
    /// are left out.
    ///
    /// - Precondition: the keys are in ascending order.
    func addresses(of keys: ArraySlice<Int64>) -> [RowAddress] {
        addresses.values(ofAscending: keys)
    }

    /// Returns the rows at addresses that ``addresses(of:)`` has returned.
    func run(of addresses: UnsafeBufferPointer<RowAddress>) -> RowRun {
        RowRun(addresses, in: slabs)
    }

    func row(at address: RowAddress) -> Row? {
        slabs[Int(address.slab)]?.row(at: Int(address.offset))
    }

    // MARK: Walking

    package typealias Position = SortedMap<Int64, RowAddress>.Position

    /// The position before the first row.
    package var start: Position { addresses.start }

    /// Returns the row after the position, and moves the position past that row. Returns `nil` at
    /// the end.
    package func next(_ position: inout Position) -> (key: Int64, row: Row)? {
        guard let (key, address) = addresses.next(&position), let row = row(at: address) else {
            return nil
        }
        return (key, row)
    }

    /// Calls the body with some of the rows after the position, at least one. The body returns how
    /// many of them it used, and the position moves past these. Returns `nil` at the end.
    ///
    /// - Throws: the errors of the body.
    package func withRun<Failure: Error>(
        from position: inout Position, _ body: (RowRun) throws(Failure) -> Int
    ) throws(Failure) -> Int? {
        try addresses.withRun(from: &position) { addresses throws(Failure) in
            try body(RowRun(addresses, in: slabs))
        }
    }
}

extension StoreTable {
    /// Returns the rows of the IDs, in the order of the IDs. Does not check which store an ID
    /// belongs to. Duplicates are ignored, and IDs without a row are left out.
    ///
    /// Fastest if all IDs are of one hierarchy and their keys are in ascending order.
    func rows(for ids: [ObjectID]) -> RowBatch {
        rows(at: addresses(of: ids))
    }

    /// Returns the rows at the addresses, in the same order.
    func rows(at addresses: [RowAddress]) -> RowBatch {
        var gathering = RowGathering(expecting: addresses.count)
        addresses.withUnsafeBufferPointer { gathering.add(run(of: $0)) }
        return gathering.batch
    }

    private func addresses(of ids: [ObjectID]) -> [RowAddress] {
        let isAscending = zip(ids, ids.dropFirst()).allSatisfy {
            $0.rootEntity == $1.rootEntity && $0.key < $1.key
        }
        if isAscending, let first = ids.first {
            return addresses(root: first.rootEntity, ofAscending: ids.map(\.key)[...])
        }
        var seen = Set<ObjectID>(minimumCapacity: ids.count)
        return ids.compactMap {
            seen.insert($0).inserted ? address(root: $0.rootEntity, key: $0.key) : nil
        }
    }
}

/// Consecutive rows of a table, read without reference counting.
package struct RowRun {
    let addresses: UnsafeBufferPointer<RowAddress>
    /// The slabs by number. `nil` for an unused number.
    let slabs: GroupedList<RowSlab?>

    /// - Precondition: `slabs` contains the slab of each address.
    package init(
        _ addresses: UnsafeBufferPointer<RowAddress>, in slabs: GroupedList<RowSlab?>
    ) {
        self.addresses = addresses
        self.slabs = slabs
    }

    /// The number of rows.
    package var count: Int { addresses.count }

    /// Returns the start of the slab of an address. Valid as long as the run's slabs are held.
    func base(of address: RowAddress) -> UnsafeRawPointer? {
        slabs[Int(address.slab)].map { UnsafeRawPointer($0.base) }
    }

    /// Calls the body with the bytes of each row. The bytes are valid as long as the run's slabs
    /// are held.
    package func forEachBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        for address in addresses {
            guard let base = base(of: address) else { continue }
            body(RowPointer(base + Int(address.offset)).allBytes)
        }
    }
}

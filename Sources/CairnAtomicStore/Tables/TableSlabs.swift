import CairnStore

/// The slabs that a table's rows are in, by number, and how much of each they still use.
///
/// A slab lives as long as one row in it, so replaced rows would keep their memory. Slabs of which
/// less than half is used are reported, and the table moves what is left to newer ones.
struct TableSlabs: Sendable {
    /// How much of a slab is used.
    private struct Usage: Sendable {
        /// Where the last row that this table took ends.
        var end = 0
        var usedByteCount = 0

        mutating func add(_ byteCount: Int, end: Int) {
            usedByteCount += byteCount
            self.end = max(self.end, end)
        }
    }

    /// By number. `nil` for a number that waits for another slab.
    private(set) var slabs: ContiguousArray<RowSlab?> = []
    /// By number.
    private var usages: ContiguousArray<Usage> = []
    private var numbers: [ObjectIdentifier: UInt32] = [:]
    private var freeNumbers: [UInt32] = []
    private var sparse: Set<UInt32> = []
    /// The bytes of all rows that the table has.
    private(set) var byteCount = 0

    /// Returns the row at an address in the table.
    func row(at address: RowAddress) -> Row? {
        slabs[Int(address.slab)]?.row(at: Int(address.offset))
    }

    /// Counts a row that the table takes, and returns the row's address.
    mutating func add(_ row: Row) -> RowAddress {
        let number = number(of: row.slab)
        let (length, offset) = (row.byteCount, row.slabOffset)
        byteCount += length
        usages[Int(number)].add(length, end: offset + length)
        return RowAddress(slab: number, offset: UInt32(offset))
    }

    /// Counts the rows of a batch that the table takes, and returns their addresses. Rows that
    /// follow each other in one slab cost one look-up of the slab.
    mutating func add(_ batch: RowBatch) -> ContiguousArray<RowAddress> {
        var addresses: ContiguousArray<RowAddress> = []
        addresses.reserveCapacity(batch.rowIndices.count)
        batch.forEachRun { slab, rows, added, end in
            let number = number(of: slab)
            byteCount += added
            usages[Int(number)].add(added, end: end)
            for index in rows {
                addresses.append(
                    RowAddress(slab: number, offset: UInt32(batch.place(at: index).offset)))
            }
        }
        return addresses
    }

    /// Stops counting the row at an address, because the table has removed it.
    mutating func remove(_ address: RowAddress, byteCount removed: Int) {
        let index = Int(address.slab)
        byteCount -= removed
        usages[index].usedByteCount -= removed
        if isSparse(address.slab) { sparse.insert(address.slab) }
        guard usages[index].usedByteCount == 0, let slab = slabs[index] else { return }
        numbers[ObjectIdentifier(slab)] = nil
        slabs[index] = nil
        freeNumbers.append(address.slab)
    }

    /// The number of a slab that the table has, or has now.
    private mutating func number(of slab: RowSlab) -> UInt32 {
        if let number = numbers[ObjectIdentifier(slab)] { return number }
        let number: UInt32
        if let free = freeNumbers.popLast() {
            number = free
            slabs[Int(free)] = slab
            usages[Int(free)] = Usage()
        } else {
            number = UInt32(slabs.count)
            slabs.append(slab)
            usages.append(Usage())
        }
        numbers[ObjectIdentifier(slab)] = number
        return number
    }

    // MARK: Sparse slabs

    /// Returns the rows, used and unused, of the slabs that are hardly used any more.
    mutating func takeSparseSlabs() -> [Row] {
        defer { sparse = [] }
        return sparse.flatMap { number -> [Row] in
            guard isSparse(number), let slab = slabs[Int(number)] else { return [] }
            return slab.rows(before: usages[Int(number)].end)
        }
    }

    /// Whether moving the rest frees more than it copies. A slab that is only begun is not sparse.
    private func isSparse(_ number: UInt32) -> Bool {
        guard let slab = slabs[Int(number)] else { return false }
        let usage = usages[Int(number)]
        return usage.end > slab.byteCount / 2 && usage.usedByteCount < usage.end / 2
    }
}

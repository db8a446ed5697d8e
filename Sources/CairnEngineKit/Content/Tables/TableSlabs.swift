import CairnRows

/// The slabs that contain a table's rows, by number, and how much of each slab is still used.
///
/// The memory of a slab is freed only as a whole, when none of its rows exists any more. Therefore the table
/// moves the remaining rows of sparse slabs, of which less than half is still used, to newer slabs.
struct TableSlabs: Sendable {
    /// How much of a slab is used.
    private struct Usage: Sendable {
        /// The offset at which the last row that this table added ends.
        var end = 0
        var usedByteCount = 0

        mutating func add(_ byteCount: Int, end: Int) {
            usedByteCount += byteCount
            self.end = max(self.end, end)
        }
    }

    /// The slabs by number. `nil` for an unused number.
    private(set) var slabs = GroupedList<RowSlab?>()
    /// The usages by number.
    private var usages = GroupedList<Usage>()
    /// The numbers by slab. A sorted map, because the first change of a copied dictionary copies all of it.
    private var numbers = SortedMap<ObjectIdentifier, UInt32>()
    private var freeNumbers: [UInt32] = []
    private var sparse: Set<UInt32> = []
    /// The total length in bytes of all rows in the table.
    private(set) var byteCount = 0

    /// Returns the row at an address in the table.
    func row(at address: RowAddress) -> Row? {
        slabs[Int(address.slab)]?.row(at: Int(address.offset))
    }

    /// Records a row that the table adds, and returns the row's address.
    mutating func add(_ row: Row) -> RowAddress {
        let number = number(of: row.slab)
        let (length, offset) = (row.byteCount, row.slabOffset)
        byteCount += length
        usages[Int(number)].add(length, end: offset + length)
        return RowAddress(slab: number, offset: UInt32(offset))
    }

    /// Records the rows of a batch that the table adds, and returns their addresses. For
    /// consecutive rows in one slab, the slab is looked up once.
    mutating func add(_ batch: RowBatch) -> ContiguousArray<RowAddress> {
        var addresses: ContiguousArray<RowAddress> = []
        addresses.reserveCapacity(batch.rowIndices.count)
        batch.forEachRun { slab, rows, added, end in
            let number = number(of: slab)
            byteCount += added
            usages[Int(number)].add(added, end: end)
            for index in rows {
                addresses.append(
                    RowAddress(slab: number, offset: UInt32(batch.address(at: index).offset)))
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
        numbers.removeValue(for: ObjectIdentifier(slab))
        slabs[index] = nil
        freeNumbers.append(address.slab)
    }

    /// Returns the number of a slab, after adding the slab if the table does not have it yet.
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
        numbers.set(number, for: ObjectIdentifier(slab))
        return number
    }

    // MARK: Sparse slabs

    /// Returns all rows, used and unused, in the slabs that are now sparse.
    mutating func takeSparseSlabs() -> [Row] {
        defer { sparse = [] }
        return sparse.flatMap { number -> [Row] in
            guard isSparse(number), let slab = slabs[Int(number)] else { return [] }
            return slab.rows(before: usages[Int(number)].end)
        }
    }

    /// Returns whether moving the remaining rows would free more than it copies. A slab that has been filled
    /// at most to half is not sparse.
    private func isSparse(_ number: UInt32) -> Bool {
        guard let slab = slabs[Int(number)] else { return false }
        let usage = usages[Int(number)]
        return usage.end > slab.byteCount / 2 && usage.usedByteCount < usage.end / 2
    }
}

/// A list whose elements are in groups. The first change of a copy copies the list of groups and one group.
///
/// A million rows are in about 2,000 slabs. Copying a single list of all slabs would count as many references,
/// which would take longer than the rest of a small save.
package struct GroupedList<Element: Sendable>: Sendable {
    private static var groupCapacity: Int { 64 }

    private(set) var groups: ContiguousArray<ContiguousArray<Element>> = []
    /// The number of elements.
    private(set) var count = 0

    /// Creates an empty list.
    package init() {}

    /// - Precondition: the index is at least 0 and less than ``count``.
    subscript(index: Int) -> Element {
        @inline(__always) get { groups[index / Self.groupCapacity][index % Self.groupCapacity] }
        set { groups[index / Self.groupCapacity][index % Self.groupCapacity] = newValue }
    }

    /// Adds an element at the end.
    package mutating func append(_ element: Element) {
        if count % Self.groupCapacity == 0 { groups.append([]) }
        groups[groups.count - 1].append(element)
        count += 1
    }
}

import CairnModel

/// Rows or bare IDs, in the order of a query's result.
public struct RowBatch: Sendable {
    @usableFromInline package var slabs: ContiguousArray<RowSlab> = []
    @usableFromInline package var entries: ContiguousArray<RowAddress> = []
    @usableFromInline var bareIDs: ContiguousArray<ObjectID> = []

    /// Creates an empty batch.
    public init() {}

    /// Creates a batch of IDs without rows, for a plan whose output is `.ids`.
    @inlinable public init(ids: some Sequence<ObjectID>) {
        bareIDs = ContiguousArray(ids)
    }

    /// Creates a batch from individual rows, in their order. Rows are not copied: the batch keeps
    /// their slabs alive.
    @inlinable public init(_ rows: some Sequence<Row>) {
        var numbers: [ObjectIdentifier: UInt32] = [:]
        // Neighbouring rows usually share a slab, and then no look-up is needed.
        var (current, number): (RowSlab?, UInt32) = (nil, 0)
        for row in rows {
            if row.slab !== current {
                current = row.slab
                number = numbers[ObjectIdentifier(row.slab)] ?? UInt32(slabs.count)
                if number == slabs.count {
                    numbers[ObjectIdentifier(row.slab)] = number
                    slabs.append(row.slab)
                }
            }
            entries.append(RowAddress(slab: number, offset: UInt32(row.slabOffset)))
        }
    }

    /// The number of rows, or of IDs in a batch without rows.
    @inlinable public var count: Int { entries.isEmpty ? bareIDs.count : entries.count }
    /// Whether the batch contains neither rows nor IDs.
    @inlinable public var isEmpty: Bool { entries.isEmpty && bareIDs.isEmpty }
    /// Whether the batch contains IDs without rows.
    @inlinable public var holdsIDsOnly: Bool { !bareIDs.isEmpty }
    /// The indices of the rows. Empty if the batch contains only IDs.
    @inlinable public var rowIndices: Range<Int> { 0..<entries.count }

    /// Returns the row at an index in ``rowIndices``.
    @inlinable public subscript(row index: Int) -> Row {
        let entry = entries[index]
        let slab = slabs[Int(entry.slab)]
        return Row(slab: slab, bytes: UnsafeRawPointer(slab.base + Int(entry.offset)))
    }

    /// Returns a pointer to the row at an index in ``rowIndices``. Valid as long as the batch
    /// exists.
    @inlinable package func pointer(at index: Int) -> RowPointer {
        let entry = entries[index]
        return RowPointer(UnsafeRawPointer(slabs[Int(entry.slab)].base + Int(entry.offset)))
    }

    /// Returns the number of the slab that contains the row at an index, and the row's offset in
    /// the slab.
    @inlinable package func address(at index: Int) -> (slab: Int, offset: Int) {
        (Int(entries[index].slab), Int(entries[index].offset))
    }

    /// Returns the slab with a number that ``address(at:)`` returned.
    @inlinable package func slab(at number: Int) -> RowSlab { slabs[number] }

    /// Calls the body for each run of consecutive rows in one slab. Passes the slab, the indices of
    /// the rows, their total length, and the offset at which the last of them ends. A slab occurs
    /// several times if rows of other slabs are between its rows.
    package func forEachRun(
        _ body: (RowSlab, _ rows: Range<Int>, _ byteCount: Int, _ end: Int) -> Void
    ) {
        var index = 0
        while index < entries.count {
            let first = index
            let slab = entries[first].slab
            var (byteCount, end) = (0, 0)
            while index < entries.count, entries[index].slab == slab {
                let length = pointer(at: index).byteCount
                byteCount += length
                end = max(end, Int(entries[index].offset) + length)
                index += 1
            }
            body(slabs[Int(slab)], first..<index, byteCount, end)
        }
    }

    /// All rows, in order.
    @inlinable public var rows: some Sequence<Row> & Sendable {
        rowIndices.lazy.map { self[row: $0] }
    }

    /// Returns the ID at an index, whether or not it has a row.
    @inlinable public func id(at index: Int) -> ObjectID {
        entries.isEmpty ? bareIDs[index] : self[row: index].id
    }

    /// All IDs, in order.
    public var ids: [ObjectID] {
        entries.isEmpty ? Array(bareIDs) : entries.indices.map { self[row: $0].id }
    }

    /// Appends the rows or IDs of another batch.
    ///
    /// - Precondition: both batches contain rows, or both contain only IDs, or one of them is
    ///   empty.
    public mutating func append(_ other: RowBatch) {
        precondition(
            isEmpty || other.isEmpty || holdsIDsOnly == other.holdsIDsOnly,
            "a batch cannot contain both rows and IDs without rows")
        if isEmpty {
            self = other
            return
        }
        let first = UInt32(slabs.count)
        slabs += other.slabs
        for entry in other.entries {
            entries.append(RowAddress(slab: first + entry.slab, offset: entry.offset))
        }
        bareIDs += other.bareIDs
    }

    /// Returns the rows or IDs at the given indices. The result keeps only those slabs alive that
    /// are between the first and the last one it uses.
    package func slice(_ range: Range<Int>) -> RowBatch {
        var batch = RowBatch()
        if holdsIDsOnly {
            batch.bareIDs = ContiguousArray(bareIDs[range])
            return batch
        }
        var (first, last) = (UInt32.max, UInt32.min)
        for entry in entries[range] {
            first = min(first, entry.slab)
            last = max(last, entry.slab)
        }
        guard first <= last else { return batch }
        batch.slabs = ContiguousArray(slabs[Int(first)...Int(last)])
        batch.entries = ContiguousArray(
            entries[range].lazy.map { RowAddress(slab: $0.slab - first, offset: $0.offset) })
        return batch
    }

    /// The total size in bytes of the slabs that the batch keeps alive.
    package var slabByteCount: Int { slabs.reduce(0) { $0 + $1.byteCount } }

    /// Returns the rows or IDs at the given indices, in the order of the indices.
    ///
    /// Copies 8 bytes for each row and 16 bytes for each bare ID.
    @inlinable public func selecting(_ indices: some Collection<Int>) -> RowBatch {
        var batch = RowBatch()
        if holdsIDsOnly {
            batch.bareIDs = ContiguousArray(indices.lazy.map { bareIDs[$0] })
        } else {
            batch.slabs = slabs
            batch.entries = ContiguousArray(indices.lazy.map { entries[$0] })
        }
        return batch
    }

    /// Returns the rows that are from one store, in the same order. The result keeps no slab of
    /// another store alive.
    package func rows(of store: StoreNumber) -> RowBatch {
        var batch = RowBatch()
        // Look up each slab once, instead of once for each row. A merged batch may contain a slab
        // twice.
        var known: [ObjectIdentifier: UInt32] = [:]
        let numbers = slabs.map { slab in
            if slab.store != store { return UInt32.max }
            let number = known[ObjectIdentifier(slab)] ?? UInt32(batch.slabs.count)
            if number == batch.slabs.count {
                known[ObjectIdentifier(slab)] = number
                batch.slabs.append(slab)
            }
            return number
        }
        for entry in entries where numbers[Int(entry.slab)] != .max {
            batch.entries.append(
                RowAddress(slab: numbers[Int(entry.slab)], offset: entry.offset))
        }
        return batch
    }
}

/// The number of a row's slab and the row's offset in it. An address takes 8 bytes and involves no
/// reference counting.
@frozen @usableFromInline package struct RowAddress: BitwiseCopyable, Sendable {
    @usableFromInline package let slab: UInt32
    @usableFromInline package let offset: UInt32

    @inlinable package init(slab: UInt32, offset: UInt32) {
        self.slab = slab
        self.offset = offset
    }
}

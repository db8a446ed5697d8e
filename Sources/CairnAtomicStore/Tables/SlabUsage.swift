import CairnStore

/// How much of each slab a table's rows still use.
///
/// A slab lives as long as one row in it, so replaced rows would keep their memory. Slabs of which
/// less than half is used are reported, and the table moves what is left to newer ones.
struct SlabUsage: Sendable {
    fileprivate struct Entry: Sendable {
        let slab: RowSlab
        /// Where the last row that this table took ends.
        var end: Int
        var usedByteCount: Int
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var sparse: Set<ObjectIdentifier> = []
    /// The bytes of all rows that the table has.
    private(set) var byteCount = 0

    /// Notes that the table took a row.
    mutating func add(_ row: Row) {
        let end = row.slabOffset + row.byteCount
        byteCount += row.byteCount
        entries[
            ObjectIdentifier(row.slab), default: Entry(slab: row.slab, end: 0, usedByteCount: 0)
        ]
        .add(row.byteCount, end: end)
    }

    /// Notes that the table took the rows of a batch: looks each slab up once for neighbours.
    mutating func add(_ batch: RowBatch) {
        batch.forEachRun { slab, added, end in
            byteCount += added
            entries[
                ObjectIdentifier(slab), default: Entry(slab: slab, end: 0, usedByteCount: 0)
            ]
            .add(added, end: end)
        }
    }

    /// Notes that the table gave a row up.
    mutating func remove(_ row: Row) {
        let id = ObjectIdentifier(row.slab)
        guard var entry = entries[id] else { return }
        byteCount -= row.byteCount
        entry.usedByteCount -= row.byteCount
        entries[id] = entry.usedByteCount > 0 ? entry : nil
        if entry.isSparse { sparse.insert(id) }
    }

    /// Returns the rows, used and unused, of the slabs that are hardly used any more.
    mutating func takeSparseSlabs() -> [Row] {
        defer { sparse = [] }
        return sparse.flatMap { id -> [Row] in
            guard let entry = entries[id], entry.isSparse else { return [] }
            return entry.slab.rows(before: entry.end)
        }
    }
}

extension SlabUsage.Entry {
    fileprivate mutating func add(_ byteCount: Int, end: Int) {
        usedByteCount += byteCount
        self.end = max(self.end, end)
    }

    /// Whether moving the rest frees more than it copies. A slab that is only begun is not sparse.
    fileprivate var isSparse: Bool {
        end > slab.byteCount / 2 && usedByteCount < end / 2
    }
}

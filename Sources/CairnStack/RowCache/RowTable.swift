import CairnModel
import CairnRows
import CairnStore

/// The rows of one store, by root entity and key.
///
/// The word of a key contains the index of a source and an offset in its slab, so adding a row needs no
/// reference counting. A fetch may add thousands of rows.
struct RowTable {
    /// A slab that contains rows of this table, and the state of the store that these rows were read
    /// from.
    private struct Source {
        let slab: RowSlab
        let generation: StoreGeneration
    }

    /// The tables of the root entities. There are only a few.
    private var tables: ContiguousArray<PagedTable> = []
    private var sources: ContiguousArray<Source> = []
    /// The index of the newest source of each slab.
    private var numbers: [ObjectIdentifier: Int] = [:]
    private(set) var count = 0
    /// The total size in bytes of the slabs that the rows keep alive.
    private(set) var slabByteCount = 0

    /// Returns the row of an ID. Returns `nil` if the table contains no row for the ID, or only a row of
    /// a newer state.
    ///
    /// - Parameter generation: The newest state that the row may be from. `nil` means any state.
    func row(for id: ObjectID, asOf generation: StoreGeneration? = nil) -> Row? {
        guard let position = position(of: id) else { return nil }
        let source = sources[position.source]
        if let generation, source.generation > generation { return nil }
        return source.slab.row(at: position.offset)
    }

    /// Returns the state that the row of an ID was read from, or `nil` if the table does not contain the
    /// row.
    func generation(of id: ObjectID) -> StoreGeneration? {
        position(of: id).map { sources[$0.source].generation }
    }

    /// Adds a row. Replaces an existing row of the same ID.
    mutating func insert(_ row: Row, from generation: StoreGeneration) {
        let position = Position(
            source: number(of: row.slab, from: generation), offset: row.slabOffset)
        if makeTableIfNeeded(of: row.rootEntity).set(position.word, for: row.key) { count += 1 }
    }

    /// Adds rows whose IDs have no row in the table yet, until the limits are reached.
    ///
    /// - Parameters:
    ///   - outdated: The IDs of rows that must not be added.
    ///   - start: The index of the first row of the batch to consider.
    ///   - limits: The maximum number of rows and bytes of slabs. At least one row of the batch is
    ///     considered regardless of the limits.
    /// - Returns: The index of the first row that was not considered.
    mutating func insert(
        newOf rows: RowBatch, from generation: StoreGeneration, butFor outdated: Set<ObjectID>,
        start: Int, upTo limits: RowCache.Limits
    ) -> Int {
        var (current, number) = (-1, 0)
        var table: PagedTable?
        var index = start
        while index < rows.rowIndices.upperBound {
            let (slab, offset) = rows.address(at: index)
            if slab != current {
                if index > start, isFull(limits) { break }
                (current, number) = (slab, self.number(of: rows.slab(at: slab), from: generation))
            } else if count >= limits.rowCount, index > start {
                break
            }
            let row = rows.pointer(at: index)
            if !outdated.isEmpty, outdated.contains(rows.id(at: index)) {
                index += 1
                continue
            }
            if table?.space != UInt64(row.rootEntity.rawValue) {
                table = makeTableIfNeeded(of: row.rootEntity)
            }
            index += 1
            guard let table, table[row.key] == 0 else { continue }
            _ = table.set(Position(source: number, offset: offset).word, for: row.key)
            count += 1
        }
        return index
    }

    /// Whether the limits are reached, so that no more rows should be added.
    func isFull(_ limits: RowCache.Limits) -> Bool {
        count >= limits.rowCount || slabByteCount >= limits.slabByteCount
    }

    /// Removes the row of an ID. Has no effect if the table does not contain it.
    mutating func remove(_ id: ObjectID) {
        if table(of: id.rootEntity)?.set(0, for: id.key) == true { count -= 1 }
    }

    /// The position of a row. The table stores it as one word.
    private struct Position {
        /// The index of the source.
        let source: Int
        /// The offset of the row in the source's slab, in bytes.
        let offset: Int

        init(source: Int, offset: Int) { (self.source, self.offset) = (source, offset) }

        /// Returns `nil` if the word is 0, which means that there is no row.
        init?(word: UInt) {
            guard word != 0 else { return nil }
            source = Int(word >> 32) - 1
            offset = Int(word & 0xffff_ffff)
        }

        /// The position as a word. It is never 0, because the word contains the source's index plus 1.
        var word: UInt {
            assert(offset >> 32 == 0, "a slab has less than 4 GiB")
            return UInt(source + 1) << 32 | UInt(offset)
        }
    }

    private func position(of id: ObjectID) -> Position? {
        table(of: id.rootEntity).flatMap { Position(word: $0[id.key]) }
    }

    /// Checks the table's invariants. Used by tests.
    ///
    /// - Throws: A description of the invariant that does not hold.
    func checkInvariants() throws(BrokenInvariant) {
        var found = 0
        for table in tables {
            try table.checkInvariants()
            for word in table.words {
                found += 1
                guard let position = Position(word: word), position.source < sources.count,
                    position.offset < sources[position.source].slab.byteCount
                else { throw BrokenInvariant("the position \(word) is in no slab") }
            }
        }
        guard found == count else {
            throw BrokenInvariant("\(found) rows are there, and \(count) are counted")
        }
    }

    private func table(of root: EntityNumber) -> PagedTable? {
        for table in tables where table.space == UInt64(root.rawValue) { return table }
        return nil
    }

    private mutating func makeTableIfNeeded(of root: EntityNumber) -> PagedTable {
        if let table = table(of: root) { return table }
        let table = PagedTable(space: UInt64(root.rawValue))
        tables.append(table)
        return table
    }

    private mutating func number(of slab: RowSlab, from generation: StoreGeneration) -> Int {
        // Consecutive rows are usually in the same slab.
        if let last = sources.last, last.slab === slab, last.generation == generation {
            return sources.count - 1
        }
        if let known = numbers[ObjectIdentifier(slab)] {
            if sources[known].generation == generation { return known }
        } else {
            slabByteCount += slab.byteCount
        }
        sources.append(Source(slab: slab, generation: generation))
        numbers[ObjectIdentifier(slab)] = sources.count - 1
        return sources.count - 1
    }
}

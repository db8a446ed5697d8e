import CairnModel
import CairnStore

/// Rows of one store by root entity and key.
///
/// A key's entry is a number that contains the index of the slab and the offset in it. Adding a row
/// therefore counts no reference, and each of the thousands of rows that a fetch may read is added in
/// 20 ns.
struct RowTable {
    /// A slab that contains rows of this table, and the state of the store that they were read from.
    private struct Source {
        let slab: RowSlab
        let generation: StoreGeneration
    }

    /// One table for each root entity. There are few of them.
    private var tables: ContiguousArray<KeyTable> = []
    private var sources: ContiguousArray<Source> = []
    /// The newest source of each slab.
    private var numbers: [ObjectIdentifier: Int] = [:]
    private(set) var count = 0
    /// How many bytes the slabs have that are kept alive by the rows.
    private(set) var slabByteCount = 0

    /// Returns the row of an ID. Returns `nil` if there is no such row, or only a row of a newer state.
    ///
    /// - Parameter generation: the newest state that the row may be from. `nil` means any state.
    func row(for id: ObjectID, asOf generation: StoreGeneration? = nil) -> Row? {
        guard let entry = table(of: id.rootEntity)?[id.key] else { return nil }
        let address = Address(entry)
        let source = sources[address.source]
        if let generation, source.generation > generation { return nil }
        return source.slab.row(at: address.offset)
    }

    /// Returns the state that the row of an ID was read from. Returns `nil` if there is no such row.
    func generation(of id: ObjectID) -> StoreGeneration? {
        table(of: id.rootEntity)?[id.key].map { sources[Address($0).source].generation }
    }

    /// Adds a row, and replaces the row of the same ID if there is one.
    mutating func insert(_ row: Row, from generation: StoreGeneration) {
        let address = Address(
            source: number(of: row.slab, from: generation), offset: row.slabOffset)
        if madeTable(of: row.rootEntity).set(address.entry, for: row.key) { count += 1 }
    }

    /// Adds the rows whose IDs have no row in the table yet, until the limits are reached.
    ///
    /// - Parameters:
    ///   - outdated: the IDs of rows that are not added.
    ///   - start: the index of the first row of the batch to add.
    ///   - limits: how many rows and how many bytes of slabs the table may have. At least one row of
    ///     the batch is looked at.
    /// - Returns: the index of the first row that was not looked at.
    mutating func insert(
        newOf rows: RowBatch, from generation: StoreGeneration, butFor outdated: Set<ObjectID>,
        start: Int, upTo limits: RowCache.Limits
    ) -> Int {
        var (current, number) = (-1, 0)
        var table: KeyTable?
        var index = start
        while index < rows.rowIndices.upperBound {
            let (slab, offset) = rows.place(at: index)
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
                table = madeTable(of: row.rootEntity)
            }
            index += 1
            guard let table, table[row.key] == nil else { continue }
            _ = table.set(Address(source: number, offset: offset).entry, for: row.key)
            count += 1
        }
        return index
    }

    /// Whether the limits are reached, so that no more rows should be added.
    func isFull(_ limits: RowCache.Limits) -> Bool {
        count >= limits.rowCount || slabByteCount >= limits.slabByteCount
    }

    /// Removes the row of an ID, if there is one.
    mutating func remove(_ id: ObjectID) {
        if table(of: id.rootEntity)?.set(nil, for: id.key) == true { count -= 1 }
    }

    /// The decoded entry of a key.
    private struct Address {
        let source: Int
        let offset: Int

        init(source: Int, offset: Int) { (self.source, self.offset) = (source, offset) }

        init(_ entry: UnsafeRawPointer) {
            let bits = UInt(bitPattern: entry)
            source = Int(bits >> 32) - 1
            offset = Int(bits & 0xffff_ffff)
        }

        /// This is never `nil`, because sources are counted from 1.
        var entry: UnsafeRawPointer? {
            UnsafeRawPointer(bitPattern: UInt(source + 1) << 32 | UInt(offset))
        }
    }

    private func table(of root: EntityNumber) -> KeyTable? {
        for table in tables where table.space == UInt64(root.rawValue) { return table }
        return nil
    }

    private mutating func madeTable(of root: EntityNumber) -> KeyTable {
        if let table = table(of: root) { return table }
        let table = KeyTable(space: UInt64(root.rawValue))
        tables.append(table)
        return table
    }

    private mutating func number(of slab: RowSlab, from generation: StoreGeneration) -> Int {
        // Rows that are added one by one are usually from the slab of the previous row.
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

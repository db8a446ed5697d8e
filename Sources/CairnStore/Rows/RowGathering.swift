import CairnModel

/// Gathers rows that stand side by side in memory into a batch, and counts no reference for one
/// that is left out: what a scan over rows in memory is made of.
package struct RowGathering {
    /// Which rows are taken.
    package struct Choice {
        /// Their concrete entities.
        let entities: Range<EntityNumber>
        /// nil: all.
        let test: ((RowPointer) -> Bool)?

        package init(entities: Range<EntityNumber>, test: ((RowPointer) -> Bool)?) {
            self.entities = entities
            self.test = test
        }

        @inline(__always) fileprivate func takes(_ row: RowPointer) -> Bool {
            guard entities.contains(row.entity) else { return false }
            return test.map { $0(row) } ?? true
        }
    }

    /// What was gathered.
    package private(set) var batch = RowBatch()
    private var numbers: [ObjectIdentifier: UInt32] = [:]
    /// The slab that the last row was in, and its number. Neighbours mostly share one.
    private var current: ObjectIdentifier?
    private var number: UInt32 = 0

    package init() {}

    /// Adds the rows that are taken until there are so many.
    ///
    /// - Returns: how many rows were looked at.
    package mutating func add(
        _ rows: UnsafeBufferPointer<Row>, _ choice: Choice, upTo count: Int
    ) -> Int {
        var place = 0
        while place < rows.count, batch.entries.count < count {
            let row = rows[place].pointer
            if choice.takes(row) { append(rows[place].slab, row) }
            place += 1
        }
        return place
    }

    /// Counts the rows that are taken.
    package static func count(_ rows: UnsafeBufferPointer<Row>, _ choice: Choice) -> Int {
        var count = 0
        for place in rows.indices where choice.takes(rows[place].pointer) { count += 1 }
        return count
    }

    private mutating func append(_ slab: RowSlab, _ row: RowPointer) {
        if ObjectIdentifier(slab) != current { turn(to: slab) }
        let offset = row.bytes - UnsafeRawPointer(slab.base)
        batch.entries.append(
            RowBatch.Entry(slab: number, offset: UInt32(truncatingIfNeeded: offset)))
    }

    private mutating func turn(to slab: RowSlab) {
        let id = ObjectIdentifier(slab)
        current = id
        number = numbers[id] ?? UInt32(batch.slabs.count)
        guard number == batch.slabs.count else { return }
        numbers[id] = number
        batch.slabs.append(slab)
    }
}

import CairnModel

/// Gathers rows of a table into a batch, and counts no reference for any of them: what a scan over
/// rows in memory is made of.
package struct RowGathering {
    /// Which rows are taken.
    package struct Choice {
        /// Their concrete entities; nil: any, and the row is not looked at for it.
        let entities: Range<EntityNumber>?
        /// nil: all.
        private let test: ValuesTest?
        private let filter: RowFilter?

        /// Chooses rows by what is in them. Returns `nil` if the filter has to look at other rows.
        package init?(entities: Range<EntityNumber>?, filter: RowFilter?) {
            if let filter, filter.valuesTest == nil { return nil }
            self.entities = entities
            self.filter = filter
            test = filter?.valuesTest
        }

        /// Whether no row is left out.
        fileprivate var takesAll: Bool { entities == nil && test == nil }

        @inline(__always) fileprivate func takes(_ row: RowPointer) -> Bool {
            if let entities, !entities.contains(row.entity) { return false }
            guard let test else { return true }
            return test(row)
        }

        /// Throws what kept the filter from answering.
        fileprivate func checkAnswers() throws(StoreError) { try filter?.checkInterruption() }
    }

    /// What was gathered.
    package private(set) var batch = RowBatch()
    /// The batch's number of each slab by its number in the table; `none`: it is not in the batch.
    private var numbers: ContiguousArray<UInt32> = []
    private static let none = UInt32.max
    // The slab that the last row was in: neighbours mostly share one.
    private var current = Self.none
    private var number: UInt32 = 0

    /// - Parameter expected: how many rows there may be; makes room for them at once.
    package init(expecting expected: Int) { batch.entries.reserveCapacity(expected) }

    /// Adds the rows that are taken until there are so many.
    ///
    /// - Precondition: all runs are of one table.
    /// - Returns: how many rows were looked at.
    /// - Throws: `.predicate`, `.cancelled`, as ``RowFilter/matches(_:)``.
    package mutating func add(
        _ run: RowRun, _ choice: Choice, upTo count: Int
    ) throws(StoreError) -> Int {
        let takesAll = choice.takesAll
        var index = 0
        while index < run.places.count, batch.entries.count < count {
            let place = run.places[index]
            index += 1
            if takesAll {
                if place.slab != current { turn(to: place.slab, of: run) }
            } else {
                guard let row = run.pointer(at: place), choice.takes(row) else { continue }
                if place.slab != current { turn(to: place.slab, of: run) }
            }
            batch.entries.append(RowPlace(slab: number, offset: place.offset))
        }
        try choice.checkAnswers()
        return index
    }

    /// Counts the rows that are taken.
    ///
    /// - Throws: as ``add(_:_:upTo:)``.
    package static func count(_ run: RowRun, _ choice: Choice) throws(StoreError) -> Int {
        if choice.takesAll { return run.count }
        var count = 0
        for place in run.places {
            if let row = run.pointer(at: place), choice.takes(row) { count += 1 }
        }
        try choice.checkAnswers()
        return count
    }

    private mutating func turn(to slab: UInt32, of run: RowRun) {
        if numbers.isEmpty {
            numbers = ContiguousArray(repeating: Self.none, count: run.slabs.count)
        }
        current = slab
        number = numbers[Int(slab)]
        guard number == Self.none, let added = run.slabs[Int(slab)] else { return }
        number = UInt32(batch.slabs.count)
        numbers[Int(slab)] = number
        batch.slabs.append(added)
    }
}

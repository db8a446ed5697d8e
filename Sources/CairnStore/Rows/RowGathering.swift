import CairnModel

/// Gathers rows of a table into a batch without counting a reference for any of them. Scans over
/// rows in memory are made of this.
package struct RowGathering {
    /// Which rows are taken.
    package struct Choice {
        /// Their concrete entities. `nil` if any will do: the row is not looked at then.
        let entities: Range<EntityNumber>?
        /// `nil` stands for all.
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

        /// Calls the body with the rows of a run that are taken, until it returns `false`. Returns
        /// how many rows were looked at.
        ///
        /// What does not change from row to row is asked here, once: unwrapping the test for each row, which
        /// counts a reference, took two thirds of a scan's time.
        @inline(__always) fileprivate func forEach(
            in run: RowRun, _ body: (RowAddress, RowPointer) -> Bool
        ) -> Int {
            let (entities, test) = (self.entities, self.test ?? .always)
            var index = 0
            for address in run.addresses {
                index += 1
                guard let row = run.pointer(at: address),
                    entities.map({ $0.contains(row.entity) }) ?? true, test(row)
                else { continue }
                if !body(address, row) { break }
            }
            return index
        }

        /// Throws what kept the filter from answering.
        fileprivate func checkAnswers() throws(StoreError) { try filter?.checkInterruption() }
    }

    /// What was gathered.
    package private(set) var batch = RowBatch()
    /// The number of each slab in the batch, by its number in the table. `none` for a slab that is
    /// not in the batch.
    private var numbers: ContiguousArray<UInt32> = []
    private static let none = UInt32.max
    // The slab that the last row was in: neighbours mostly share one.
    private var current = Self.none
    private var number: UInt32 = 0

    /// - Parameter expected: how many rows there may be; makes room for them at once.
    package init(expecting expected: Int) { batch.entries.reserveCapacity(expected) }

    /// Adds all rows of a run.
    ///
    /// - Precondition: all runs are of one table.
    package mutating func add(_ run: RowRun) {
        for address in run.addresses { add(address, of: run) }
    }

    /// Adds the rows that are taken, until the batch has `count` rows.
    ///
    /// - Precondition: all runs are of one table.
    /// - Returns: how many rows were looked at.
    /// - Throws: `.predicate`, `.cancelled`, as ``RowFilter/matches(_:)``.
    package mutating func add(
        _ run: RowRun, _ choice: Choice, upTo count: Int
    ) throws(StoreError) -> Int {
        if choice.takesAll {
            let taken = run.addresses.prefix(count - batch.entries.count)
            for address in taken { add(address, of: run) }
            return taken.count
        }
        let lookedAt = choice.forEach(in: run) { address, _ in
            add(address, of: run)
            return batch.entries.count < count
        }
        try choice.checkAnswers()
        return lookedAt
    }

    @inline(__always) private mutating func add(_ address: RowAddress, of run: RowRun) {
        if address.slab != current { turn(to: address.slab, of: run) }
        batch.entries.append(RowAddress(slab: number, offset: address.offset))
    }

    /// Counts the rows that are taken.
    ///
    /// - Throws: as ``add(_:_:upTo:)``.
    package static func count(_ run: RowRun, _ choice: Choice) throws(StoreError) -> Int {
        if choice.takesAll { return run.count }
        var count = 0
        _ = choice.forEach(in: run) { _, _ in
            count += 1
            return true
        }
        try choice.checkAnswers()
        return count
    }

    /// Calls the body with the rows that are taken.
    ///
    /// - Throws: as ``add(_:_:upTo:)``.
    package static func forEach(
        _ run: RowRun, _ choice: Choice, _ body: (RowPointer) -> Void
    ) throws(StoreError) {
        _ = choice.forEach(in: run) { _, row in
            body(row)
            return true
        }
        try choice.checkAnswers()
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

import CairnModel
import CairnRows
import CairnStore

/// Gathers rows of a table into a batch without counting references. Scans of rows in memory are
/// built on this type.
package struct RowGathering {
    /// The condition for rows to be gathered.
    package struct Choice {
        /// The concrete entities to accept. If `nil`, all are accepted, and the row is not read to
        /// find its entity.
        let entities: Range<EntityNumber>?
        /// If `nil`, all rows are accepted.
        private let test: ValuesTest?
        private let filter: RowFilter?

        /// Creates a condition on the content of single rows. Returns `nil` if the filter has to
        /// look at other rows.
        package init?(entities: Range<EntityNumber>?, filter: RowFilter?) {
            if let filter, filter.valuesTest == nil { return nil }
            self.entities = entities
            self.filter = filter
            test = filter?.valuesTest
        }

        /// Whether every row is accepted.
        fileprivate var takesAll: Bool { entities == nil && test == nil }

        /// Calls the body with each accepted row of a run, until the body returns `false`. Returns
        /// the number of rows that were looked at.
        ///
        /// The entities and the test are unwrapped only once, before the loop. Unwrapping the test
        /// for each row counts a reference, and took two thirds of the time of a scan.
        @inline(__always) fileprivate func forEach(
            in run: RowRun, _ body: (RowAddress, RowPointer) -> Bool
        ) -> Int {
            let (entities, test) = (self.entities, self.test ?? .always)
            var index = 0
            // Neighbouring rows usually share a slab.
            var (slab, base) = (RowGathering.none, UnsafeRawPointer?.none)
            for address in run.addresses {
                index += 1
                if address.slab != slab { (slab, base) = (address.slab, run.base(of: address)) }
                guard let row = base.map({ RowPointer($0 + Int(address.offset)) }),
                    entities.map({ $0.contains(row.entity) }) ?? true, test(row)
                else { continue }
                if !body(address, row) { break }
            }
            return index
        }

        /// Throws the error that kept the filter from evaluating a row.
        fileprivate func checkAnswers() throws(StoreError) { try filter?.checkInterruption() }
    }

    /// The rows gathered so far.
    package private(set) var batch = RowBatch()
    /// Maps slab numbers of the table to slab numbers of the batch. Contains `none` for slabs that
    /// are not in the batch.
    private var numbers: ContiguousArray<UInt32> = []
    private static let none = UInt32.max
    // The slab of the last row. Neighbouring rows usually share a slab.
    private var current = Self.none
    private var number: UInt32 = 0

    /// - Parameter expected: the expected number of rows, for which memory is reserved.
    package init(expecting expected: Int) { batch.entries.reserveCapacity(expected) }

    /// Adds all rows of a run.
    ///
    /// - Precondition: all runs are from one table.
    package mutating func add(_ run: RowRun) {
        for address in run.addresses { add(address, of: run) }
    }

    /// Adds the accepted rows of a run until the batch contains `count` rows.
    ///
    /// - Precondition: all runs are from one table.
    /// - Returns: the number of rows that were looked at.
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

    /// Returns the number of accepted rows.
    ///
    /// - Throws: the errors of ``add(_:_:upTo:)``.
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

    /// Calls the body with each accepted row.
    ///
    /// - Throws: the errors of ``add(_:_:upTo:)``.
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
        // Rows of one slab need no list of all slabs.
        if numbers.isEmpty, current != Self.none {
            numbers = ContiguousArray(repeating: Self.none, count: run.slabs.count)
            numbers[Int(current)] = number
        }
        current = slab
        number = numbers.isEmpty ? Self.none : numbers[Int(slab)]
        guard number == Self.none, let added = run.slabs[Int(slab)] else { return }
        number = UInt32(batch.slabs.count)
        if !numbers.isEmpty { numbers[Int(slab)] = number }
        batch.slabs.append(added)
    }
}

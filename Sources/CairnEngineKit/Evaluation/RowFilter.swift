import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A bound predicate compiled for packed rows. Testing a row costs about as much as a closure call
/// and a load.
///
/// The filter follows relationships through its resolver. It is used by one thread at a time.
package final class RowFilter {
    private let test: RowTest
    /// The same condition for a row that is given only by its address. It needs no reference
    /// counting. `nil` if the condition needs more than the row's own values.
    ///
    /// Its results are valid only if ``checkInterruption()`` does not throw afterwards.
    let valuesTest: ValuesTest?
    /// ``valuesTest``, if it is as fast as reading a row, otherwise `nil`. This test is never
    /// interrupted, and can be called while holding a lock.
    package let quickTest: ValuesTest?
    private let interruption: FilterInterruption
    private let isCancellable: Bool

    /// Compiles the predicate.
    ///
    /// - Parameters:
    ///   - predicate: the condition, bound to an entity of the model.
    ///   - layouts: the layouts of the rows that are tested.
    ///   - resolver: finds the rows that relationships lead to.
    ///   - now: the value of `now()` for all rows.
    ///   - isCancellable: whether tests end with `.cancelled` when the running task is cancelled.
    ///     See ``FetchPlan/isCancellable``.
    /// - Throws: `.invalidRegularExpression` if the predicate was not bound.
    public convenience init(
        _ predicate: BoundPredicate, layouts: RowLayouts, resolver: any RowResolver,
        now: Date = Date(), isCancellable: Bool = false
    ) throws(FetchPredicateError) {
        try self.init(
            predicate, layouts: layouts, resolver: resolver, joins: SemiJoins(), now: now,
            isCancellable: isCancellable)
    }

    /// Compiles the predicate.
    ///
    /// - Parameters:
    ///   - predicate: the condition, bound to an entity of the model.
    ///   - layouts: the layouts of the rows that are tested.
    ///   - resolver: finds the rows that relationships lead to.
    ///   - joins: known results of comparisons that follow relationships.
    ///   - now: the value of `now()` for all rows.
    ///   - isCancellable: see ``FetchPlan/isCancellable``.
    /// - Throws: `.invalidRegularExpression` if the predicate was not bound.
    package init(
        _ predicate: BoundPredicate, layouts: RowLayouts, resolver: any RowResolver,
        joins: SemiJoins, now: Date = Date(), isCancellable: Bool
    ) throws(FetchPredicateError) {
        self.isCancellable = isCancellable
        interruption = FilterInterruption(isCancellable: isCancellable)
        let source = RowSource(
            layouts: layouts, resolver: resolver, interruption: interruption)
        let compiler = RowTestCompiler(
            source: source, general: PredicateCompiler(source: source, now: now),
            context: EvaluationContext(source), joins: joins)
        let compiled = try compiler.test(predicate)
        test = compiled.rowTest
        valuesTest = compiled.valuesTest
        quickTest = interruption.guardsTests ? nil : valuesTest
    }

    /// Returns whether the row's object fulfils the predicate.
    ///
    /// - Throws: the errors of the resolver; `.predicate` if matching a pattern takes too many
    ///   steps; `.cancelled`.
    package func matches(_ row: Row) throws(StoreError) -> Bool {
        if isCancellable, Task.isCancelled { throw .cancelled }
        let answer = try test(row)
        try interruption.check()
        return answer
    }

    /// Returns the rows of the batch that fulfil the predicate, in the same order.
    ///
    /// - Throws: the errors of ``matches(_:)``.
    package func filter(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        var indices: [Int] = []
        if let valuesTest {
            for index in batch.rowIndices where valuesTest(batch.pointer(at: index)) {
                indices.append(index)
            }
            try checkInterruption()
        } else {
            for index in batch.rowIndices where try matches(batch[row: index]) {
                indices.append(index)
            }
        }
        return indices.count == batch.count ? batch : batch.selecting(indices)
    }

    /// Throws the error that interrupted ``valuesTest``, if there is one.
    func checkInterruption() throws(StoreError) { try interruption.check() }
}

/// The reason why the tests of a filter stopped working. It is set by a test that cannot throw, and
/// thrown by the code that runs the tests, after each batch of rows.
///
/// Like the filter, it is used by one thread at a time.
final class FilterInterruption {
    private var error: StoreError?
    /// Whether a test of the filter may take so long that it has to be interrupted. Set while the
    /// filter is compiled.
    var guardsTests = false
    private let isCancellable: Bool

    /// - Parameter isCancellable: whether cancelling the task interrupts tests that may take long.
    init(isCancellable: Bool) { self.isCancellable = isCancellable }

    /// Returns the result of the body, or `false` once a test has failed or the task has been
    /// cancelled.
    func answer(_ body: () throws(FetchPredicateError) -> Bool) -> Bool {
        guard error == nil else { return false }
        if isCancellable, Task.isCancelled {
            error = .cancelled
            return false
        }
        do {
            return try body()
        } catch {
            self.error = .predicate(error)
            return false
        }
    }

    /// Throws the error that interrupted a test, if there is one.
    func check() throws(StoreError) {
        if let error { throw error }
    }
}

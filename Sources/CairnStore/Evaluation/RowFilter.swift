import CairnModel
import Foundation

/// A bound predicate compiled for packed rows: tests each at the cost of a closure and a load.
///
/// Follows relationships through its resolver. Used by one thread at a time.
public final class RowFilter {
    private let test: RowTest
    /// The same condition for a row of which only the address is known. It counts no reference.
    /// `nil` if the condition is on more than the row's own values.
    ///
    /// Its answers count only if ``checkInterruption()`` throws nothing after them.
    let valuesTest: ValuesTest?
    /// ``valuesTest``, if it takes no longer than reading a row does. It is then never interrupted,
    /// and may be asked while a lock is held. `nil` for any other condition.
    package let quickTest: ValuesTest?
    private let interruption: FilterInterruption
    private let isCancellable: Bool

    /// Compiles the predicate.
    ///
    /// - Parameters:
    ///   - resolver: asked for the rows that relationships lead to.
    ///   - now: what `now()` means, for every row.
    ///   - isCancellable: whether tests end with `.cancelled` once the running task is cancelled; see
    ///     ``FetchPlan/isCancellable``.
    /// - Throws: `.invalidRegularExpression`, for a predicate that was not bound.
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
    /// - Parameter joins: the answers to some of its comparisons through relationships.
    /// - Throws: `.invalidRegularExpression`, for a predicate that was not bound.
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

    /// Returns whether the predicate holds for the object of the row.
    ///
    /// - Throws: what the resolver throws; `.predicate` if a pattern takes too many steps;
    ///   `.cancelled`.
    public func matches(_ row: Row) throws(StoreError) -> Bool {
        if isCancellable, Task.isCancelled { throw .cancelled }
        let answer = try test(row)
        try interruption.check()
        return answer
    }

    /// Returns the rows of the batch for which the predicate holds, in their order.
    ///
    /// - Throws: as ``matches(_:)``.
    public func filter(_ batch: RowBatch) throws(StoreError) -> RowBatch {
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

    /// Throws what stopped the answers of ``valuesTest``.
    ///
    /// - Throws: `.predicate`, `.cancelled`.
    func checkInterruption() throws(StoreError) { try interruption.check() }
}

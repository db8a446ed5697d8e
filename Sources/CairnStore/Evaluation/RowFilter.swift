import CairnModel
import Foundation

/// A bound predicate compiled for packed rows: tests each at the cost of a closure and a load.
///
/// Follows relationships through its resolver. Used by one thread at a time.
public final class RowFilter {
    private let test: PredicateCompiler<RowSource>.Test
    private let context: EvaluationContext<RowSource>

    /// Compiles the predicate.
    ///
    /// - Parameters:
    ///   - resolver: asked for the rows that relationships lead to.
    ///   - now: what `now()` means, for every row.
    /// - Throws: `.invalidRegularExpression`, for a predicate that was not bound.
    public init(
        _ predicate: BoundPredicate, layouts: RowLayouts, resolver: any RowResolver,
        now: Date = Date()
    ) throws(FetchPredicateError) {
        let source = RowSource(layouts: layouts, resolver: resolver)
        test = try PredicateCompiler(source: source, now: now).test(predicate)
        context = EvaluationContext(source)
    }

    /// Whether the predicate holds for the object of the row.
    ///
    /// - Throws: what the resolver throws.
    public func matches(_ row: Row) throws(StoreError) -> Bool { try test(row, context) }

    /// Returns the rows of the batch for which the predicate holds, in their order.
    ///
    /// - Throws: what the resolver throws.
    public func filter(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        var matches: [Row] = []
        for index in batch.rowIndices {
            let row = batch[row: index]
            if try test(row, context) { matches.append(row) }
        }
        return matches.count == batch.count ? batch : RowBatch(matches)
    }
}

/// A bound predicate compiled for objects of any source, such as a context's with their unsaved
/// values; means the same as ``RowFilter``.
public final class ObjectFilter<Source: EvaluationSource> {
    private let test: PredicateCompiler<Source>.Test
    private let context: EvaluationContext<Source>

    /// Compiles the predicate.
    ///
    /// - Throws: `.invalidRegularExpression`, for a predicate that was not bound.
    public init(
        _ predicate: BoundPredicate, source: Source, now: Date = Date()
    ) throws(FetchPredicateError) {
        test = try PredicateCompiler(source: source, now: now).test(predicate)
        context = EvaluationContext(source)
    }

    /// Whether the predicate holds for the object.
    ///
    /// - Throws: what the source throws.
    public func matches(_ object: Source.Object) throws(Source.Failure) -> Bool {
        try test(object, context)
    }
}

/// A bound expression compiled for objects of any source: a derived attribute's, say.
public final class ObjectExpression<Source: EvaluationSource> {
    private let reader: PredicateCompiler<Source>.Reader
    private let context: EvaluationContext<Source>

    /// Compiles the expression.
    ///
    /// - Throws: `.invalidRegularExpression`, for one that was not bound.
    public init(
        _ expression: BoundExpression, source: Source, now: Date = Date()
    ) throws(FetchPredicateError) {
        reader = try PredicateCompiler(source: source, now: now).reader(expression)
        context = EvaluationContext(source)
    }

    /// Returns the value for the object.
    ///
    /// - Throws: what the source throws.
    public func value(for object: Source.Object) throws(Source.Failure) -> Value {
        try reader(object, context)
    }
}

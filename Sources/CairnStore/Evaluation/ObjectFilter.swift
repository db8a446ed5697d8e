import CairnModel
import Foundation

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

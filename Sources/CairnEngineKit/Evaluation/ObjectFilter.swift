import CairnModel
import Foundation

/// A bound predicate compiled for the objects of any source, such as a context's objects with their
/// unsaved values. It has the same meaning as a ``RowFilter``.
package final class ObjectFilter<Source: EvaluationSource> {
    private let test: PredicateCompiler<Source>.Test
    private let context: EvaluationContext<Source>

    /// Compiles the predicate.
    ///
    /// - Throws: `.invalidRegularExpression` if the predicate was not bound.
    package init(
        _ predicate: BoundPredicate, source: Source, now: Date = Date()
    ) throws(FetchPredicateError) {
        test = try PredicateCompiler(source: source, now: now).test(predicate)
        context = EvaluationContext(source)
    }

    /// Returns whether the object fulfils the predicate.
    ///
    /// - Throws: the errors of the source.
    package func matches(_ object: Source.Object) throws(Source.Failure) -> Bool {
        try test(object, context)
    }
}

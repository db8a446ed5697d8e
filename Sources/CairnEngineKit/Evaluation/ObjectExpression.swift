import CairnModel
import Foundation

/// A bound expression, such as that of a derived attribute, compiled for the objects of any source.
package final class ObjectExpression<Source: EvaluationSource> {
    private let reader: PredicateCompiler<Source>.Reader
    private let context: EvaluationContext<Source>

    /// Compiles the expression.
    ///
    /// - Throws: `.invalidRegularExpression` if the expression was not bound.
    package init(
        _ expression: BoundExpression, source: Source, now: Date = Date()
    ) throws(FetchPredicateError) {
        reader = try PredicateCompiler(source: source, now: now).reader(expression)
        context = EvaluationContext(source)
    }

    /// Returns the expression's value for the object.
    ///
    /// - Throws: the errors of the source.
    package func value(for object: Source.Object) throws(Source.Failure) -> Value {
        try reader(object, context)
    }
}

import CairnModel
import Foundation

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

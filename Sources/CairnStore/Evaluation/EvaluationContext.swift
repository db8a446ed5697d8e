import CairnModel
import Foundation

/// What one evaluation carries along: the source, and the members that subqueries are at.
public final class EvaluationContext<Source: EvaluationSource> {
    let source: Source
    var variables: [Int: Source.Object] = [:]

    init(_ source: Source) { self.source = source }

    /// Returns whether as many of the values pass the test as the modifier wants.
    func holds(
        _ modifier: PredicateComparison.Modifier, _ values: [Value], _ test: ValueTest
    ) throws(Source.Failure) -> Bool {
        do throws(FetchPredicateError) {
            return try modifier.holds(values, test)
        } catch {
            throw source.failure(for: error)
        }
    }
}

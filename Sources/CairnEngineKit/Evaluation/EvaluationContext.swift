import CairnModel
import Foundation

/// The state of one evaluation: the source, and the current members of subqueries.
package final class EvaluationContext<Source: EvaluationSource> {
    let source: Source
    var variables: [Int: Source.Object] = [:]

    init(_ source: Source) { self.source = source }

    /// Returns whether as many values pass the test as the modifier requires.
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

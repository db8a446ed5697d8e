import Synchronization

/// Counts the steps of work whose cost must stay in proportion to its input.
///
/// Tests set ``current`` and compare the counts of two input sizes. Without a counter, a report costs
/// one look at a task-local value, so code reports many steps at once.
package final class StepCounter: Sendable {
    /// The counter of the running task; `nil` outside of tests.
    @TaskLocal package static var current: StepCounter?

    private let steps = Atomic(0)
    private let action: (@Sendable (Int) -> Void)?

    /// Creates a counter that stands at zero.
    ///
    /// - Parameter action: called with the count after each report, on the thread that reports.
    package init(afterEachReport action: (@Sendable (Int) -> Void)? = nil) { self.action = action }

    /// The steps that were reported so far.
    package var count: Int { steps.load(ordering: .relaxed) }

    /// Adds steps to the counter of the running task, if it has one.
    package static func report(_ steps: Int) {
        guard let current else { return }
        let count = current.steps.add(steps, ordering: .relaxed).newValue
        current.action?(count)
    }

    /// Returns the number of steps that the body reports.
    package static func steps(of body: () throws -> Void) rethrows -> Int {
        let counter = StepCounter()
        try $current.withValue(counter, operation: body)
        return counter.count
    }
}

import Synchronization

/// Counts the steps of operations whose cost must be proportional to the size of their input.
///
/// Tests set ``current`` and compare the counts for inputs of two sizes. If no counter is set, a report
/// only reads a task-local value, so code reports many steps at once.
package final class StepCounter: Sendable {
    /// The counter of the current task, or `nil` outside of tests.
    @TaskLocal package static var current: StepCounter?
    /// The counter of the rows that engines read for the current fetch, or `nil` if nothing counts them.
    @TaskLocal package static var rows: StepCounter?

    private let steps = Atomic(0)
    private let action: (@Sendable (Int) -> Void)?

    /// Creates a counter that starts at zero.
    ///
    /// - Parameter action: A closure that is called with the count after each report, on the thread of the
    ///   report.
    package init(afterEachReport action: (@Sendable (Int) -> Void)? = nil) { self.action = action }

    /// The number of steps that were reported so far.
    package var count: Int { steps.load(ordering: .relaxed) }

    /// Adds steps to the counter of the current task, if it has one.
    package static func report(_ steps: Int) {
        guard let current else { return }
        let count = current.steps.add(steps, ordering: .relaxed).newValue
        current.action?(count)
    }

    /// Adds rows to the counter of rows of the current task, if it has one. Engines call this once for each
    /// batch.
    package static func reportRows(_ count: Int) {
        guard let rows else { return }
        rows.steps.add(count, ordering: .relaxed)
    }

    /// Returns the number of steps that the body reports.
    package static func steps(of body: () throws -> Void) rethrows -> Int {
        let counter = StepCounter()
        try $current.withValue(counter, operation: body)
        return counter.count
    }
}

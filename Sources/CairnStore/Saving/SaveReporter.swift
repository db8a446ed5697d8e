import Synchronization

/// Tells the caller of a save how many objects have been written, and asks whether the save should
/// continue.
///
/// An engine counts the rows that it writes and removes in `prepare`. An engine may also count
/// nothing: the save is then reported in one step, and cannot be cancelled while it is under way.
public final class SaveReporter: Sendable {
    /// The number of objects that are written between two reports.
    package static let interval = 100

    private let written = Atomic<Int>(0)
    private let report: @Sendable (Int) -> Bool

    /// Creates a reporter.
    ///
    /// - Parameter report: called with the number of objects that have been written so far. Returns
    ///   whether the save should continue.
    package init(_ report: @escaping @Sendable (Int) -> Bool) { self.report = report }

    /// Restarts the count at 0, before the request is written again.
    package func restart() { written.store(0, ordering: .relaxed) }

    /// Counts objects that were written, and reports after every `interval` objects.
    ///
    /// - Throws: `.cancelled` if the caller wants the save to end.
    public func wrote(_ count: Int = 1) throws(StoreError) {
        let (before, now) = written.add(count, ordering: .relaxed)
        guard before / Self.interval != now / Self.interval else { return }
        guard report(now) else { throw .cancelled }
    }
}

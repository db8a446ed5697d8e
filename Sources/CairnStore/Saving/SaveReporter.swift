import Synchronization

/// Tells the caller of a save how many objects are written, and asks whether to go on.
///
/// An engine counts the rows that it writes and removes in `prepare`. Engines that count nothing are
/// correct, too: the save is then reported in one step and cannot be cancelled on the way.
public final class SaveReporter: Sendable {
    /// How many objects are written between two reports.
    public static let interval = 100

    private let written = Atomic<Int>(0)
    private let report: @Sendable (Int) -> Bool

    /// - Parameter report: called with the number of objects that are written so far. Returns whether
    ///   the save should go on.
    public init(_ report: @escaping @Sendable (Int) -> Bool) { self.report = report }

    /// Counts from the start again, before the request is written again.
    public func restart() { written.store(0, ordering: .relaxed) }

    /// Counts objects that were written, and reports after every ``interval`` objects.
    ///
    /// - Throws: `.cancelled` if the caller wants the save to end.
    public func wrote(_ count: Int = 1) throws(StoreError) {
        let (before, now) = written.add(count, ordering: .relaxed)
        guard before / Self.interval != now / Self.interval else { return }
        guard report(now) else { throw .cancelled }
    }
}

import Synchronization

/// Tracks which of a snapshot's cursors was created last.
final class NewestCursor: Sendable {
    private let number = Atomic<Int>(0)

    /// Counts a new cursor and returns its number.
    func take() -> Int { number.add(1, ordering: .relaxed).newValue }

    /// Returns whether no cursor was created after the cursor with the given number.
    func isNewest(_ number: Int) -> Bool { self.number.load(ordering: .relaxed) == number }
}

import Synchronization

/// Which of a snapshot's cursors was made last.
final class NewestCursor: Sendable {
    private let number = Atomic<Int>(0)

    /// Counts a new cursor, and returns its number.
    func take() -> Int { number.add(1, ordering: .relaxed).newValue }

    /// Whether no cursor was made after the one of that number.
    func isNewest(_ number: Int) -> Bool { self.number.load(ordering: .relaxed) == number }
}

import Observation
import Synchronization

/// Waits for a change of the properties that a closure reads, as a view does.
final class Watch: Sendable {
    private let count = Atomic<Int>(0)

    /// Runs the closure and begins to watch the properties that it reads.
    init(_ read: () throws -> Void) throws {
        try withObservationTracking {
            Result { try read() }
        } onChange: { [self] in
            count.add(1, ordering: .relaxed)
        }.get()
    }

    /// Whether one of the properties was changed, or is about to change.
    var isTold: Bool { count.load(ordering: .relaxed) > 0 }
}

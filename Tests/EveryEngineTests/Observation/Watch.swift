import Observation
import Synchronization

/// Waits for a change of what was read, as a view does.
final class Watch: Sendable {
    private let count = Atomic<Int>(0)

    /// Reads, and waits from now on.
    init(_ read: () throws -> Void) throws {
        try withObservationTracking {
            Result { try read() }
        } onChange: { [self] in
            count.add(1, ordering: .relaxed)
        }.get()
    }

    /// Whether something of what was read was changed, or is about to be.
    var isTold: Bool { count.load(ordering: .relaxed) > 0 }
}

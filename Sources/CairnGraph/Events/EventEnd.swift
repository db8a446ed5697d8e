import Dispatch

/// What ends an event with the main queue's turn.
struct EventEnd: @unchecked Sendable {
    // Unchecked: made on the main queue, to be run there.
    private let body: () -> Void

    /// Runs the body after the turn of the main queue that the caller is in.
    static func schedule(_ body: @escaping () -> Void) {
        let end = EventEnd(body: body)
        DispatchQueue.main.async { end.body() }
    }
}

import Dispatch

/// A closure that ends an event at the end of the main queue's turn.
struct EventEnd: @unchecked Sendable {
    // Unchecked: created on the main queue, and run there.
    private let body: () -> Void

    /// Runs a closure after the main queue's current turn.
    static func schedule(_ body: @escaping () -> Void) {
        let end = EventEnd(body: body)
        DispatchQueue.main.async { end.body() }
    }
}

import Dispatch
import Foundation

/// The main queue, for code that runs there or waits for its turn.
package enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let marked: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    /// Lets ``isCurrent`` recognize every thread that serves the main queue.
    package static func mark() { marked }

    /// Whether the running thread serves the main queue.
    package static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }

    /// Runs a closure after the main queue's current turn. Must be called on the main queue.
    package static func schedule(_ body: @escaping () -> Void) {
        let end = TurnEnd(body: body)
        DispatchQueue.main.async { end.body() }
    }

    private struct TurnEnd: @unchecked Sendable {
        // Unchecked: created on the main queue, and run there.
        let body: () -> Void
    }
}

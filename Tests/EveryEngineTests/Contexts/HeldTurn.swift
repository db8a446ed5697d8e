import Cairn
import Dispatch
import Foundation
import Synchronization

/// The turn of a context, held until a test ends it.
final class HeldTurn: Sendable {
    private let mayEnd = DispatchSemaphore(value: 0)
    private let hasBegun = Atomic(false)
    private let hasEnded = Atomic(false)

    /// Starts a task that holds the turn. Returns when the task has the turn.
    static func ofTask(_ handle: ContextHandle) async -> HeldTurn {
        let turn = HeldTurn()
        Task { try await handle.perform { _ in turn.hold() } }
        await turn.begin()
        return turn
    }

    /// Starts a thread that holds the turn with `performAndWait`. Returns when the thread has the turn.
    static func ofThread(_ handle: ContextHandle) async -> HeldTurn {
        let turn = HeldTurn()
        Thread.detachNewThread { try? handle.performAndWait { _ in turn.hold() } }
        await turn.begin()
        return turn
    }

    private func begin() async {
        while !hasBegun.load(ordering: .acquiring) { await Task.yield() }
    }

    private func hold() {
        hasBegun.store(true, ordering: .releasing)
        mayEnd.wait()
        hasEnded.store(true, ordering: .releasing)
    }

    /// Whether the turn is still held.
    var isHeld: Bool { !hasEnded.load(ordering: .acquiring) }

    /// Lets the turn end. Call this function only once.
    func end() { mayEnd.signal() }
}

import Cairn
import Dispatch
import Foundation
import Synchronization

/// The turn of a context, held until a test lets it end.
final class HeldTurn: Sendable {
    private let mayEnd = DispatchSemaphore(value: 0)
    private let hasBegun = Atomic(false)
    private let hasEnded = Atomic(false)

    /// Has a task hold the turn, and returns when it does.
    static func ofTask(_ handle: ContextHandle) async -> HeldTurn {
        let turn = HeldTurn()
        Task { try await handle.perform { _ in turn.hold() } }
        await turn.begin()
        return turn
    }

    /// Has a thread hold the turn with `performAndWait`, and returns when it does.
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

    /// Lets the turn end. Call it once.
    func end() { mayEnd.signal() }
}

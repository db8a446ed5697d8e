import CairnModel
import Dispatch
import Foundation
import StackSupport
import Synchronization
import Testing

@testable import CairnObjects
@testable import CairnStack

/// A turn of a private-queue parent waits for its main-queue child while the child saves in the background.
/// Then the child is changed: the change waits for the save, the save waits for the parent, and the parent
/// for the child.
@Suite(.serialized, .timeLimit(.minutes(1))) @MainActor
struct `A deadlock through a background save` {
    private let parent: ContextHandle
    private let parentLock: OwnerLock
    private let child: ManagedObjectContext

    init() throws {
        let stack = try MusicStack()
        let context = ManagedObjectContext(
            source: stack.coordinator, concurrencyType: .privateQueue, name: "parent")
        parentLock = context.queue.ownerLock
        parent = ContextHandle(context)
        child = ManagedObjectContext(parent: parent)
    }

    /// The change is the last to wait, but it cannot throw an error for a conflict that is not its own.
    @Test func `is reported to the save if a change completes the cycle`() async throws {
        let turn = ParentTurn(parent, child.handle)
        try insertTag()
        let save = Task { try await child.saveInBackground() }
        while parentLock.waitingThreadCount == 0 { await Task.yield() }
        turn.proceed()
        while !WaitGraph.shared.isWaiting(turn.thread) { usleep(100) }

        try insertTag()
        let error = await #expect(throws: GraphError.self) { try await save.value }
        let failure = await turn.end()
        let unsaved = child.insertedObjects.count
        try await child.saveInBackground()

        #expect(Self.cycle(in: error)?.contains("parent") == true, "\(String(describing: error))")
        #expect(failure == nil)
        #expect(unsaved == 2)
        #expect(!child.hasChanges)
    }

    @Test func `is reported to the parent's turn if that turn completes the cycle`() async throws {
        let turn = ParentTurn(parent, child.handle)
        try insertTag()
        let save = Task { try await child.saveInBackground() }
        while parentLock.waitingThreadCount == 0 { await Task.yield() }
        // Must follow the last suspension, because the thread changes if Dispatch serves the main queue.
        let main = TurnOwner.runningThread
        Thread.detachNewThread {
            while !WaitGraph.shared.isWaiting(main) { usleep(100) }
            turn.proceed()
        }

        try insertTag()
        try await save.value
        let failure = await turn.end()

        #expect(
            Self.cycle(in: failure)?.contains("parent") == true, "\(String(describing: failure))")
        #expect(child.insertedObjects.count == 1)
        #expect(try await parent.perform { $0.insertedObjects.count } == 1)
    }

    private func insertTag() throws { _ = try child.insertNewObject(forEntityName: "Tag") }

    private static func cycle(in error: (any Error)?) -> [String]? {
        guard case GraphError.waitCycle(let names)? = error else { return nil }
        return names
    }

    /// A parent's turn on its own thread, which waits for the child after `proceed()` is called.
    private final class ParentTurn: Sendable {
        private let mayGoOn = DispatchSemaphore(value: 0)
        private let state = Mutex((thread: UInt(0), failure: (any Error)?.none, hasEnded: false))

        var thread: UInt { state.withLock { $0.thread } }

        init(_ parent: ContextHandle, _ child: ContextHandle) {
            let hasBegun = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [self] in
                do {
                    try parent.performAndWait { _ in
                        state.withLock { $0.thread = TurnOwner.runningThread }
                        hasBegun.signal()
                        mayGoOn.wait()
                        try child.performAndWait { _ in }
                    }
                } catch {
                    state.withLock { $0.failure = error }
                }
                state.withLock { $0.hasEnded = true }
            }
            hasBegun.wait()
        }

        func proceed() { mayGoOn.signal() }

        /// Waits for the end of the turn and returns the error that it threw.
        func end() async -> (any Error)? {
            while !state.withLock({ $0.hasEnded }) { await Task.yield() }
            return state.withLock { $0.failure }
        }
    }
}

import CairnStack
import Dispatch
import Synchronization

/// One attempt to save a change set. It is run once, by a thread of the executor, or by a thread that
/// cannot wait until the executor begins.
final class SaveAttempt: Sendable {
    private enum Stage {
        case waiting
        case running
        case done(Result<SaveResult, GraphError>)
    }

    private struct State {
        var stage = Stage.waiting
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let changes: ChangeSet
    private let objects: PackedObjects
    private let source: any ObjectSource
    private let state = Mutex(State())
    private let isDone = DispatchSemaphore(value: 0)
    /// Owned by the thread that saves, so that cycles of waits are detected.
    private let runner = OwnerLock(name: "background save")

    init(_ changes: ChangeSet, of objects: PackedObjects, to source: any ObjectSource) {
        self.changes = changes
        self.objects = objects
        self.source = source
    }

    /// The result of the attempt, or `nil` if it has not ended yet.
    var result: Result<SaveResult, GraphError>? {
        state.withLock { if case .done(let result) = $0.stage { result } else { nil } }
    }

    /// Saves, unless another thread has already begun to.
    ///
    /// - Returns: Whether this call saved.
    @discardableResult func run() -> Bool {
        let isFirst = state.withLock { state in
            guard case .waiting = state.stage else { return false }
            state.stage = .running
            runner.bind(to: TurnOwner.runningThread)
            return true
        }
        guard isFirst else { return false }
        let result: Result<SaveResult, GraphError>
        do {
            result = .success(try source.save(changes, of: objects))
        } catch {
            result = .failure(error)
        }
        let waiters = state.withLock { state in
            state.stage = .done(result)
            runner.bind(to: 0)
            defer { state.waiters = [] }
            return state.waiters
        }
        isDone.signal()
        for waiter in waiters { waiter.resume() }
        return true
    }

    /// Saves on the calling thread, or blocks it until another thread has saved.
    func runOrWait() {
        if run() { return }
        let thread = TurnOwner.runningThread
        WaitGraph.shared.beginWithoutRefusal(thread, waitingFor: runner)
        isDone.wait()
        WaitGraph.shared.end(thread)
        // Signals again, for the next thread that waits.
        isDone.signal()
    }

    /// Waits until the attempt has ended.
    func ended() async {
        await withCheckedContinuation { waiter in
            let hasEnded = state.withLock { state in
                if case .done = state.stage { return true }
                state.waiters.append(waiter)
                return false
            }
            if hasEnded { waiter.resume() }
        }
    }
}

import CairnModel
import CairnThreads
import Synchronization

/// Where a context's objects come from: given when the context is made, or once later.
///
/// Safe from any thread, because handles and children read it while the context is used elsewhere.
/// The context itself takes a later connection in with its next turn or call.
final class ContextConnection: Sendable {
    private final class Link: Sendable {
        let source: any ObjectSource
        let classes: ObjectClasses
        /// The source's executor, kept because each turn asks for it. `nil` for a source without a
        /// coordinator: a parent that has none may get one later.
        let executor: TurnExecutor?

        init(_ source: any ObjectSource, _ classes: ObjectClasses) {
            self.source = source
            self.classes = classes
            executor = source.coordinator?.executor
        }
    }

    private struct State {
        var current: Link
        var isRefused = false
    }

    /// What was given when the context was made.
    private let first: Link
    /// Whether ``state`` has another link than ``first``. Each turn asks for the link, and most contexts
    /// keep the first one: this load is all that these pay. It is set after the link is, so a thread that
    /// sees it finds the link.
    private let isReplaced = Atomic<Bool>(false)
    private let state: Mutex<State>

    /// - Parameter source: where objects come from; one that refuses can be replaced once.
    init(_ source: any ObjectSource, classes: ObjectClasses) {
        first = Link(source, classes)
        state = Mutex(State(current: first))
    }

    private var current: Link {
        isReplaced.load(ordering: .acquiring) ? state.withLock { $0.current } : first
    }
    var source: any ObjectSource { current.source }
    var classes: ObjectClasses { current.classes }
    /// Whose threads tasks have their turns on.
    var executor: TurnExecutor {
        let current = current
        return current.executor ?? current.source.executor
    }

    /// Connects a context that was made without a source. Returns `false` if it has one already.
    func connect(to source: any ObjectSource, classes: ObjectClasses) -> Bool {
        guard first.source is RefusingSource else { return false }
        let link = Link(source, classes)
        return state.withLock { state in
            guard state.current === first else { return false }
            state.current = link
            isReplaced.store(true, ordering: .releasing)
            return true
        }
    }

    /// Has everything that needs the source throw an error from now on. The first such error counts.
    func refuse(with error: GraphError) {
        // Made before the lock is taken, because it asks a parent's connection.
        let link = Link(RefusingSource(error, like: source), classes)
        state.withLock { state in
            guard !state.isRefused else { return }
            (state.current, state.isRefused) = (link, true)
            isReplaced.store(true, ordering: .releasing)
        }
    }
}

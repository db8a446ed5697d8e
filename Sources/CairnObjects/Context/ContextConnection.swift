import CairnModel
import CairnStack
import CairnThreads
import Synchronization

/// The connection of a context to the source of its objects. It is set when the context is created, or
/// once later.
///
/// The connection can be used from any thread, because handles and child contexts read it while the
/// context is used elsewhere. The context itself adopts a later connection in its next turn or call.
final class ContextConnection: Sendable {
    private final class Link: Sendable {
        let source: any ObjectSource
        let classes: ObjectClasses
        /// The source's executor, stored because each turn needs it. `nil` if the source has no
        /// coordinator, because an unconnected parent may get one later.
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

    /// The link that the context was created with.
    private let first: Link
    /// Whether ``state`` contains another link than ``first``. Each turn reads the link, and most
    /// contexts keep the first one, so for them reading it costs no more than this load. The flag is set
    /// after the link, so a thread that sees the flag also sees the link.
    private let isReplaced = Atomic<Bool>(false)
    private let state: Mutex<State>

    /// - Parameter source: The source of the context's objects. A ``RefusingSource`` can be replaced
    ///   once.
    init(_ source: any ObjectSource, classes: ObjectClasses) {
        first = Link(source, classes)
        state = Mutex(State(current: first))
    }

    private var current: Link {
        isReplaced.load(ordering: .acquiring) ? state.withLock { $0.current } : first
    }
    var source: any ObjectSource { current.source }
    var classes: ObjectClasses { current.classes }
    /// The executor whose threads run the turns of tasks.
    var executor: TurnExecutor {
        let current = current
        return current.executor ?? current.source.executor
    }

    /// Connects a context that was created without a source. Returns `false` if the context is already
    /// connected.
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

    /// Makes everything that needs the source throw `error` from now on. Later calls have no effect.
    func refuse(with error: GraphError) {
        // Created before the lock is taken, because this reads the connection of a parent.
        let link = Link(RefusingSource(error, like: source), classes)
        state.withLock { state in
            guard !state.isRefused else { return }
            (state.current, state.isRefused) = (link, true)
            isReplaced.store(true, ordering: .releasing)
        }
    }
}

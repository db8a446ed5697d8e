import CairnModel
import Synchronization

/// The contexts that save to the same source or have the same parent. They are referenced weakly.
package final class ContextFeed: Sendable {
    private struct Reader {
        weak var inbox: ContextInbox?
    }

    private let readers = Mutex<[Reader]>([])

    package func add(_ inbox: ContextInbox) {
        readers.withLock { readers in
            readers.removeAll { $0.inbox == nil }
            readers.append(Reader(inbox: inbox))
        }
    }

    /// Calls `body` with the inbox of each context.
    package func forEach(_ body: (ContextInbox) -> Void) {
        for inbox in readers.withLock({ $0.compactMap(\.inbox) }) { body(inbox) }
    }

    /// Reports the changes of a save to the contexts that merge saves, except for the sender. If there
    /// are no such contexts, `changes` is not called.
    package func tell(except sender: ContextInbox, _ changes: () -> ObjectIDChanges) {
        let interested = readers.withLock { $0.compactMap(\.inbox) }
            .filter { $0 !== sender && $0.keepsSaves }
        guard !interested.isEmpty else { return }
        let changes = changes()
        for inbox in interested { inbox.tell(saved: changes) }
    }
}

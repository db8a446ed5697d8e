import CairnModel
import Synchronization

/// The contexts that save to one source, or have one parent. Holds none of them.
package final class ContextFeed: Sendable {
    private struct Reader {
        weak var inbox: ContextInbox?
    }

    private let readers = Mutex<[Reader]>([])

    func add(_ inbox: ContextInbox) {
        readers.withLock { readers in
            readers.removeAll { $0.inbox == nil }
            readers.append(Reader(inbox: inbox))
        }
    }

    /// Passes the inbox of each context.
    func forEach(_ body: (ContextInbox) -> Void) {
        for inbox in readers.withLock({ $0.compactMap(\.inbox) }) { body(inbox) }
    }

    /// Tells the contexts that want to know, but for the sender, what was saved. Where there are
    /// none, the changes are not even listed.
    func tell(except sender: ContextInbox, _ changes: () -> ObjectIDChanges) {
        let interested = readers.withLock { $0.compactMap(\.inbox) }
            .filter { $0 !== sender && $0.keepsSaves }
        guard !interested.isEmpty else { return }
        let changes = changes()
        for inbox in interested { inbox.tell(saved: changes) }
    }
}

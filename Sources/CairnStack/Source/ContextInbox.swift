import CairnModel
import CairnRows
import Synchronization

/// Events that happened elsewhere and that a context has to handle, stored until the context reads them.
///
/// Any thread may add events. The context reads them in its own turns, so nothing changes unexpectedly
/// during a turn.
package final class ContextInbox: Sendable {
    /// The events, by kind.
    package struct News: Sendable {
        /// The new IDs that objects received.
        package var newIDs = IDReplacements()
        /// The IDs that inserted objects received when a save turned them into updates of stored
        /// objects.
        package var upserted: [ObjectID] = []
        /// The changes that other contexts saved or merged, in the order in which they were made.
        package var saves: [ObjectIDChanges] = []
        /// The numbers of stores that were removed from the coordinator.
        package var removedStores: Set<StoreNumber> = []
        /// The numbers of stores that were replaced with others that have the same objects.
        package var replacedStores: Set<StoreNumber> = []
        /// Whether the context was connected to a source and has not adopted the connection yet.
        package var isConnectionNew = false

        fileprivate var isEmpty: Bool {
            newIDs.isEmpty && upserted.isEmpty && saves.isEmpty && removedStores.isEmpty
                && replacedStores.isEmpty && !isConnectionNew
        }
    }

    private struct State {
        var news = News()
        /// Schedules a turn in which the inbox is read. `nil` if the context does not merge the saves of
        /// other contexts.
        var wake: (@Sendable () -> Void)?
    }

    /// How many saves are kept one by one. Later ones are put together, because a context that nobody uses does not read
    /// them: they then take memory for each object that differs, and not for each save.
    package static let saveLimit = 64

    /// The children of this context. They get new IDs immediately, because their next turns may come
    /// before this context's next turn.
    package let children = ContextFeed()
    private let state = Mutex(State())
    /// Whether there is anything to read. A stored property, because each turn of a context looks at it: a
    /// call into this module would take as long as the rest of an empty turn's look.
    package let isFilled = Atomic<Bool>(false)

    package init() {}

    // MARK: Reading

    /// Whether there is nothing to read.
    package var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    /// Removes and returns the events of one kind.
    package func take<Events: Sendable>(_ kind: WritableKeyPath<News, Events>) -> Events {
        state.withLock { state in
            let events = state.news[keyPath: kind]
            state.news[keyPath: kind] = News()[keyPath: kind]
            isFilled.store(!state.news.isEmpty, ordering: .releasing)
            return events
        }
    }

    /// Returns the new ID of an object if the context has not read it from the inbox yet.
    package func newID(of id: ObjectID) -> ObjectID? {
        if isEmpty { return nil }
        return state.withLock { $0.news.newIDs[id] }
    }

    // MARK: Telling

    /// Adds events to those of this context.
    private func add(_ change: (inout News) -> Void) {
        state.withLock { state in
            change(&state.news)
            isFilled.store(true, ordering: .releasing)
        }
    }

    /// Records that the context, or one of its parents, was connected to another source.
    package func tellConnected() {
        add { $0.isConnectionNew = true }
        children.forEach { $0.tellConnected() }
    }

    /// Records the new IDs that objects received.
    package func tell(newIDs: IDReplacements) {
        add { $0.newIDs.merge(newIDs) }
        children.forEach { $0.tell(newIDs: newIDs) }
    }

    /// Records that inserted objects replaced stored objects with these IDs. Their values differ from
    /// those that the context knows.
    package func tell(upserted ids: [ObjectID]) {
        guard !ids.isEmpty else { return }
        add { $0.upserted += ids }
        children.forEach { $0.tell(upserted: ids) }
    }

    /// Records that stores were removed from the coordinator.
    package func tell(removedStores numbers: Set<StoreNumber>) {
        add { $0.removedStores.formUnion(numbers) }
        children.forEach { $0.tell(removedStores: numbers) }
    }

    /// Records that stores were replaced with others that have the same objects.
    package func tell(replacedStores numbers: Set<StoreNumber>) {
        add { $0.replacedStores.formUnion(numbers) }
        children.forEach { $0.tell(replacedStores: numbers) }
    }

    /// Records the changes that another context saved or merged, if this context merges the saves of
    /// others.
    package func tell(saved changes: ObjectIDChanges) {
        let wake = state.withLock { state in
            guard let wake = state.wake else { return nil as (@Sendable () -> Void)? }
            if state.news.saves.count < Self.saveLimit {
                state.news.saves.append(changes)
            } else {
                state.news.saves[Self.saveLimit - 1].append(changes)
            }
            isFilled.store(true, ordering: .releasing)
            return wake
        }
        wake?()
    }

    /// Starts to record the saves of other contexts, and to call `wake` for each of them. If `wake` is
    /// `nil`, saves are no longer recorded.
    package func keepSaves(waking wake: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.wake = wake
            if wake == nil { state.news.saves = [] }
        }
    }

    /// Whether the saves of other contexts are recorded.
    var keepsSaves: Bool { state.withLock { $0.wake != nil } }
}

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

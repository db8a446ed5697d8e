import CairnModel
import CairnRows
import Synchronization

/// Events that happened elsewhere and that a context has to handle, stored until the context reads them.
///
/// Any thread may add events. The context reads them in its own turns, so nothing changes unexpectedly
/// during a turn.
package final class ContextInbox: Sendable {
    private struct State {
        var newIDs = IDReplacements()
        /// The IDs that inserted objects received when a save turned them into updates of stored
        /// objects.
        var upserted: [ObjectID] = []
        var saves: [ObjectIDChanges] = []
        /// The numbers of stores that were removed from the coordinator.
        var removedStores: Set<StoreNumber> = []
        /// The numbers of stores that were replaced with others that have the same objects.
        var replacedStores: Set<StoreNumber> = []
        /// Whether the context was connected to a source and has not adopted the connection yet.
        var isConnectionNew = false
        /// Schedules a turn in which the inbox is read. `nil` if the context does not merge the saves of
        /// other contexts.
        var wake: (@Sendable () -> Void)?

        var isEmpty: Bool {
            newIDs.isEmpty && upserted.isEmpty && saves.isEmpty && removedStores.isEmpty
                && replacedStores.isEmpty && !isConnectionNew
        }
    }

    /// The children of this context. They get new IDs immediately, because their next turns may come
    /// before this context's next turn.
    package let children = ContextFeed()
    private let state = Mutex(State())
    private let isFilled = Atomic<Bool>(false)

    package init() {}

    /// Whether there is nothing to read.
    package var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    /// Records that the context, or one of its parents, was connected to another source.
    package func tellConnected() {
        state.withLock { state in
            state.isConnectionNew = true
            isFilled.store(true, ordering: .releasing)
        }
        children.forEach { $0.tellConnected() }
    }

    /// Returns whether there is a new connection to adopt, and marks it as adopted.
    package func takeConnection() -> Bool {
        state.withLock { state in
            defer {
                state.isConnectionNew = false
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.isConnectionNew
        }
    }

    /// Records the permanent IDs that objects received.
    package func tell(newIDs: IDReplacements) {
        state.withLock { state in
            state.newIDs.merge(newIDs)
            isFilled.store(true, ordering: .releasing)
        }
        children.forEach { $0.tell(newIDs: newIDs) }
    }

    /// Records that inserted objects replaced stored objects with these IDs. Their values differ from
    /// those that the context knows.
    package func tell(upserted ids: [ObjectID]) {
        guard !ids.isEmpty else { return }
        state.withLock { state in
            state.upserted += ids
            isFilled.store(true, ordering: .releasing)
        }
        children.forEach { $0.tell(upserted: ids) }
    }

    /// Removes and returns the IDs of inserted objects that became stored objects.
    package func takeUpserted() -> [ObjectID] {
        state.withLock { state in
            defer {
                state.upserted = []
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.upserted
        }
    }

    /// Records that stores were removed from the coordinator.
    package func tell(removedStores numbers: Set<StoreNumber>) {
        state.withLock { state in
            state.removedStores.formUnion(numbers)
            isFilled.store(true, ordering: .releasing)
        }
        children.forEach { $0.tell(removedStores: numbers) }
    }

    /// Removes and returns the numbers of the removed stores.
    package func takeRemovedStores() -> Set<StoreNumber> {
        state.withLock { state in
            defer {
                state.removedStores = []
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.removedStores
        }
    }

    /// Records that stores were replaced with others that have the same objects.
    package func tell(replacedStores numbers: Set<StoreNumber>) {
        state.withLock { state in
            state.replacedStores.formUnion(numbers)
            isFilled.store(true, ordering: .releasing)
        }
        children.forEach { $0.tell(replacedStores: numbers) }
    }

    /// Removes and returns the numbers of the replaced stores.
    package func takeReplacedStores() -> Set<StoreNumber> {
        state.withLock { state in
            defer {
                state.replacedStores = []
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.replacedStores
        }
    }

    /// Records the changes that another context saved or merged, if this context merges the saves of
    /// others.
    package func tell(saved changes: ObjectIDChanges) {
        let wake = state.withLock { state in
            guard let wake = state.wake else { return nil as (@Sendable () -> Void)? }
            state.saves.append(changes)
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
            if wake == nil { state.saves = [] }
        }
    }

    /// Whether the saves of other contexts are recorded.
    var keepsSaves: Bool { state.withLock { $0.wake != nil } }

    /// Returns the permanent ID of an object if the context has not read it from the inbox yet.
    package func newID(of id: ObjectID) -> ObjectID? {
        guard id.isTemporary, !isEmpty else { return nil }
        return state.withLock { $0.newIDs[id] }
    }

    /// Removes and returns the new IDs.
    package func takeNewIDs() -> IDReplacements {
        state.withLock { state in
            defer {
                state.newIDs = IDReplacements()
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.newIDs
        }
    }

    /// Removes and returns the saves of other contexts, in the order in which they were made.
    package func takeSaves() -> [ObjectIDChanges] {
        state.withLock { state in
            defer {
                state.saves = []
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.saves
        }
    }
}

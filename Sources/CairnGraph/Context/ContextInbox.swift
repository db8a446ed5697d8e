import CairnModel
import Synchronization

/// What happened elsewhere and a context has to know, kept until the context looks.
///
/// Any thread fills it. It is read in the context's own turns, so nothing changes unexpectedly during a turn.
final class ContextInbox: Sendable {
    private struct State {
        var newIDs = IDReplacements()
        /// The new IDs of objects that became stored ones.
        var upserted: [ObjectID] = []
        var saves: [ObjectIDChanges] = []
        /// The stores that were removed from the coordinator.
        var removedStores: Set<StoreNumber> = []
        /// Whether the context was connected to a source and has not taken that in.
        var isConnectionNew = false
        /// Asks for a turn in which the inbox is read. `nil` if saves of others are of no interest.
        var wake: (@Sendable () -> Void)?

        var isEmpty: Bool {
            newIDs.isEmpty && upserted.isEmpty && saves.isEmpty && removedStores.isEmpty
                && !isConnectionNew
        }
    }

    /// The contexts that this one is the parent of; they get new IDs at once, because they may have
    /// turns before this one has.
    let children = ContextFeed()
    private let state = Mutex(State())
    private let isFilled = Atomic<Bool>(false)

    /// Whether there is something to read.
    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    /// Tells that the context, or a parent of it, was connected to another source.
    func tellConnected() {
        state.withLock { state in
            state.isConnectionNew = true
            isFilled.store(true, ordering: .releasing)
        }
        children.forEach { $0.tellConnected() }
    }

    /// Returns whether there is a connection to take in, once for each.
    func takeConnection() -> Bool {
        state.withLock { state in
            defer {
                state.isConnectionNew = false
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.isConnectionNew
        }
    }

    /// Tells of permanent IDs that objects got.
    func tell(newIDs: IDReplacements) {
        state.withLock { state in
            state.newIDs.merge(newIDs)
            isFilled.store(true, ordering: .releasing)
        }
        children.forEach { $0.tell(newIDs: newIDs) }
    }

    /// Tells that new objects became stored ones, under these IDs: they have other values than the
    /// context knows.
    func tell(upserted ids: [ObjectID]) {
        guard !ids.isEmpty else { return }
        state.withLock { state in
            state.upserted += ids
            isFilled.store(true, ordering: .releasing)
        }
        children.forEach { $0.tell(upserted: ids) }
    }

    /// Takes the IDs of such objects out.
    func takeUpserted() -> [ObjectID] {
        state.withLock { state in
            defer {
                state.upserted = []
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.upserted
        }
    }

    /// Tells that stores were removed from the coordinator.
    func tell(removedStores numbers: Set<StoreNumber>) {
        state.withLock { state in
            state.removedStores.formUnion(numbers)
            isFilled.store(true, ordering: .releasing)
        }
        children.forEach { $0.tell(removedStores: numbers) }
    }

    /// Takes the removed stores out.
    func takeRemovedStores() -> Set<StoreNumber> {
        state.withLock { state in
            defer {
                state.removedStores = []
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.removedStores
        }
    }

    /// Tells of what others saved or merged, if that is of interest.
    func tell(saved changes: ObjectIDChanges) {
        let wake = state.withLock { state in
            guard let wake = state.wake else { return nil as (@Sendable () -> Void)? }
            state.saves.append(changes)
            isFilled.store(true, ordering: .releasing)
            return wake
        }
        wake?()
    }

    /// Keeps saves of others from now on, and calls the closure for each. If the closure is `nil`, saves are
    /// not kept any more.
    func keepSaves(waking wake: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.wake = wake
            if wake == nil { state.saves = [] }
        }
    }

    /// Whether saves of others are of interest.
    var keepsSaves: Bool { state.withLock { $0.wake != nil } }

    /// The permanent ID of an object, if the context has not read yet that there is one.
    func newID(of id: ObjectID) -> ObjectID? {
        guard id.isTemporary, !isEmpty else { return nil }
        return state.withLock { $0.newIDs[id] }
    }

    /// Takes the new IDs out.
    func takeNewIDs() -> IDReplacements {
        state.withLock { state in
            defer {
                state.newIDs = IDReplacements()
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.newIDs
        }
    }

    /// Takes the saves of others out, in the order in which they were made.
    func takeSaves() -> [ObjectIDChanges] {
        state.withLock { state in
            defer {
                state.saves = []
                isFilled.store(!state.isEmpty, ordering: .releasing)
            }
            return state.saves
        }
    }
}

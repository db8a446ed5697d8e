import CairnModel
import CairnStore
import Dispatch
import Synchronization

/// A change set with its rows packed, which holds nothing of its context: so another thread can save it.
struct PackedChanges: Sendable {
    private let inserted: [ObjectID]
    private let updated: [ChangeSet.Update]
    private let deleted: [RowDeletion]
    private let pairs: [PairChange]
    private let assignments: [ObjectID: StoreNumber]
    private let id: SaveID?
    private let author: String?
    private let contextName: String?
    private let watch: SaveWatch?
    private let content: Content

    /// What the source of the context takes.
    private enum Content: Sendable {
        /// Rows with the keys that the objects have now, for stores.
        case rows([ObjectID: Row], RowLayouts)
        /// Values, for a parent context.
        case handedOver(HandedChanges)
    }

    /// Reads the values of the context's objects.
    ///
    /// - Throws: `.relationshipAcrossStores`, `.store`, `.objectGone`.
    init(_ changes: ChangeSet, of context: ManagedObjectContext) throws(GraphError) {
        inserted = changes.inserted
        updated = changes.updated
        deleted = changes.deleted
        pairs = changes.pairs
        assignments = changes.assignments
        id = changes.id
        author = changes.author
        contextName = changes.contextName
        watch = changes.watch
        if let handOver = changes.handOver {
            content = .handedOver(try handOver())
        } else {
            let ids = changes.inserted + changes.updated.map(\.id)
            let objects = ids.compactMap { context.identityMap[$0] }
            content = .rows(try UnsavedRows(context).rows(of: objects), context.source.layouts)
        }
    }

    /// The same changes, for the source of the context.
    var changeSet: ChangeSet {
        var changes: ChangeSet
        switch content {
        case .rows(let rows, let layouts):
            changes = ChangeSet(packer: RowRepacking(rows: rows, layouts: layouts))
        case .handedOver(let handedChanges):
            changes = ChangeSet(packer: RowRepacking(rows: [:], layouts: nil))
            changes.handOver = { () throws(GraphError) in handedChanges }
        }
        changes.inserted = inserted
        changes.updated = updated
        changes.deleted = deleted
        changes.pairs = pairs
        changes.assignments = assignments
        changes.id = id
        changes.author = author
        changes.contextName = contextName
        changes.watch = watch
        return changes
    }
}

/// Packs rows that were packed before with other keys.
private final class RowRepacking: RowPacking {
    private let rows: [ObjectID: Row]
    private let layouts: RowLayouts?

    init(rows: [ObjectID: Row], layouts: RowLayouts?) {
        self.rows = rows
        self.layouts = layouts
    }

    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        guard let row = rows[id], let layout = layouts?.layout(of: row.entity) else {
            throw .objectGone(id)
        }
        writer.begin(layout, key: key, version: version, fixedSlotsOf: row)
        for slot in layout.slots where !row.isNull(slot) {
            if slot.kind == .toOne {
                let destination = permanent(row.objectID(slot))
                writer.set(key: destination.key, entity: destination.entity, at: slot)
            } else if slot.kind.isVariable {
                do throws(RowError) {
                    try writer.set(slot, from: row)
                } catch {
                    throw GraphError(error)
                }
            }
        }
        writer.endRow()
    }
}

/// One attempt to save a change set, run once: by a thread of the executor, or by a thread that cannot
/// wait for that one to begin.
final class SaveFlight: Sendable {
    private enum Stage {
        case waiting
        case running
        case done(Result<SaveResult, GraphError>)
    }

    private struct State {
        var stage = Stage.waiting
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let changes: PackedChanges
    private let source: any ObjectSource
    private let state = Mutex(State())
    private let isDone = DispatchSemaphore(value: 0)
    /// Owned by the thread that saves, so that cycles of waits are found.
    private let runner = OwnerLock(name: "background save")

    init(_ changes: PackedChanges, to source: any ObjectSource) {
        self.changes = changes
        self.source = source
    }

    /// What became of the attempt, or `nil` if it has not ended yet.
    var result: Result<SaveResult, GraphError>? {
        state.withLock { if case .done(let result) = $0.stage { result } else { nil } }
    }

    /// Saves, unless another thread does already.
    ///
    /// - Returns: whether it was this call that saved.
    @discardableResult func run() -> Bool {
        let isFirst = state.withLock { state in
            guard case .waiting = state.stage else { return false }
            state.stage = .running
            runner.bind(to: currentThreadNumber())
            return true
        }
        guard isFirst else { return false }
        let result: Result<SaveResult, GraphError>
        do throws(GraphError) {
            result = .success(try source.save(changes.changeSet))
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
        let thread = currentThreadNumber()
        WaitGraph.shared.beginWithoutRefusal(thread, waitingFor: runner)
        isDone.wait()
        WaitGraph.shared.end(thread)
        // For the next thread that waits.
        isDone.signal()
    }

    /// Returns when the attempt has ended.
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

import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// A source that reads one state of a coordinator's stores. Saves are made to the newest state.
package final class PinnedSource: StateReading {
    let stack: PersistentStoreCoordinator
    package let state: PinnedState

    package init(_ stack: PersistentStoreCoordinator, _ state: PinnedState) {
        self.stack = stack
        self.state = state
    }

    /// Returns a source that reads the newest state of every store.
    ///
    /// - Throws: `.queryGenerationUnsupported` if the engine or the mode of a store makes readers and
    ///   writers exclude each other, because holding a state would then block all saves; `.store`.
    package static func pinningNewest(
        of stack: PersistentStoreCoordinator
    ) throws(GraphError) -> PinnedSource {
        let stores = stack.attachedStores
        if let exclusive = stores.first(where: { !$0.capabilities.readsDuringSave }) {
            throw .queryGenerationUnsupported(
                "the store \(exclusive.location) cannot be read while it is being saved to.")
        }
        let source = PinnedSource(stack, stack.pin(try stack.snapshots(of: stores)))
        for member in source.state.snapshots.members
        where try source.keepsOthersFromSaving(member.attached.number) {
            throw .queryGenerationUnsupported(
                "the store \(member.attached.location) has a rollback journal, so nobody could save to it"
                    + " while the context reads it. Open the store for writing once, which gives it a"
                    + " write-ahead log.")
        }
        return source
    }

    private func keepsOthersFromSaving(_ store: StoreNumber) throws(GraphError) -> Bool {
        try withState(of: store, isNewest: true) { state throws(StoreError) in
            try state.snapshot.keepsOthersFromSaving()
        }
    }

    package var layouts: RowLayouts { stack.layouts }
    package var temporarySpace: StoreNumber { stack.temporarySpace }
    package var feed: ContextFeed? { stack.feed }
    package var coordinator: PersistentStoreCoordinator? { stack }
    package var executor: TurnExecutor { stack.executor }

    func snapshots(of stores: [AttachedStore]) -> SnapshotSet {
        let numbers = Set(stores.map(\.number))
        return state.snapshots.filtered { numbers.contains($0.number) }
    }

    /// Does nothing: the snapshots are held for as long as the source is pinned to them.
    func release(_ states: SnapshotSet) {}

    func withState<Result>(
        of store: StoreNumber, isNewest: Bool,
        _ body: (StoreReading) throws(StoreError) -> Result
    ) throws(GraphError) -> Result {
        let member = try member(numbered: store)
        do {
            return try body(member.attached.reading(member.snapshot))
        } catch .closed where member.attached.isReplaced {
            let next = try self.member(numbered: store)
            do {
                return try body(next.attached.reading(next.snapshot))
            } catch {
                throw GraphError(ofStore: error)
            }
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    func cachedRows(
        for ids: [ObjectID], of store: StoreNumber
    ) throws(GraphError) -> (found: [Row], missing: [ObjectID]) {
        let member = try member(numbered: store)
        return member.attached.rowCache.rows(for: ids, asOf: member.snapshot.generation)
    }

    package func row(for id: ObjectID) throws(GraphError) -> Row? {
        let (found, missing) = try cachedRows(for: [id], of: id.store)
        if missing.isEmpty { return found.first }
        let rows = try storedRows(for: missing, of: id.store, isNewest: false)
        return rows.rowIndices.first.map { rows[row: $0] }
    }

    private func member(numbered number: StoreNumber) throws(GraphError) -> SnapshotSet.Member {
        if let member = state.snapshots.members.first(where: { $0.attached.number == number }) {
            return member
        }
        throw .unknownStore(number)
    }

    package func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult {
        try stack.save(changes, of: objects)
    }

    package func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID] {
        try stack.permanentIDs(for: temporary, assignments: assignments)
    }
}

/// One state of each store of a coordinator, all from the same moment.
package final class PinnedState: Sendable {
    private let current: Mutex<SnapshotSet>

    var snapshots: SnapshotSet { current.withLock { $0 } }

    init(_ snapshots: SnapshotSet) {
        current = Mutex(snapshots)
    }

    deinit { snapshots.end() }

    /// Reads a state of another store instead of the state of a store that it has replaced.
    func replace(_ old: AttachedStore, with new: SnapshotSet.Member) {
        current.withLock { set in
            set = SnapshotSet(
                members: set.members.map { $0.attached === old ? new : $0 })
        }
    }
}

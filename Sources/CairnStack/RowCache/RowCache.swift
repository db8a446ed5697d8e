import CairnModel
import CairnRows
import CairnStore
import Synchronization

/// The rows of one store that were recently read or saved.
///
/// Every row in the cache is the row that the store contains in the newest state that the coordinator has
/// seen. A save replaces its rows in the cache. A state that someone else saved empties the cache, or, if the
/// engine can tell what changed, removes only the changed rows. Each entry also contains the state that it
/// was read from, so that readers pinned to an earlier state never get a newer row. The cache is bounded:
/// when the rows in use reach ``Limits``, the rows that were not requested since the previous turnover are
/// removed.
///
/// Large batches of rows that a fetch read or a save inserted are first deferred: they are stored as
/// they are, and added to the tables when a row of their entity is requested. Most of these rows are
/// never requested, because their objects are created from the fetch itself, and then they cost almost
/// nothing.
///
/// The cache can be used from any thread.
package final class RowCache: Sendable {
    /// The size at which the cache turns over. The cache may become up to twice as large.
    package struct Limits: Sendable {
        package var rowCount = 65_536
        /// The size of the slabs that the rows keep alive. A single row may keep a whole slab alive.
        package var slabByteCount = 64 << 20

        package init() {}
    }

    private struct State {
        /// The newest state of the store that was seen.
        var generation = StoreGeneration(0)
        /// The time when the state was last known to be the newest.
        var lastSeen = ContinuousClock.now
        /// The rows that were added or requested since the last turnover (recent) and before it (older).
        var recent = RowTable()
        var older = RowTable()
        /// Deferred rows, which are not in a table yet. They do not exceed the limits.
        var deferred: [Deferred] = []
        var deferredCount = 0
        var deferredByteCount = 0
        /// Root entities that are known to have no deferred rows.
        var rootsWithoutDeferred: [EntityNumber] = []
        /// The IDs of deferred rows that a save has changed or deleted since.
        var outdated: Set<ObjectID> = []
    }

    /// A batch of deferred rows.
    private struct Deferred {
        let rows: RowBatch
        /// The state that the rows were read from.
        let generation: StoreGeneration
        /// Root entities that are known to have no rows in this batch.
        private var otherRoots: [EntityNumber] = []

        init(_ rows: RowBatch, _ generation: StoreGeneration) {
            self.rows = rows
            self.generation = generation
        }

        /// Returns whether the batch contains a row of a root entity. If it does not, only the first
        /// call for that entity examines the rows.
        mutating func holdsRow(of root: EntityNumber) -> Bool {
            if otherRoots.contains(root) { return false }
            for index in rows.rowIndices where rows.pointer(at: index).rootEntity == root {
                return true
            }
            otherRoots.append(root)
            return false
        }
    }

    /// The minimum size of a deferred batch. Smaller batches are added to the tables immediately.
    private static let fewestDeferred = 64

    private let limits: Limits
    private let state = Mutex(State())

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The number of rows in the cache. A row that was requested again may count twice.
    package var count: Int {
        state.withLock { $0.recent.count + $0.older.count + $0.deferredCount }
    }

    /// Returns the row of an ID, or `nil` if the cache does not contain it.
    ///
    /// - Parameters:
    ///   - id: The ID of the object.
    ///   - generation: The state that the reader is pinned to. `nil` means the newest state.
    package func row(for id: ObjectID, asOf generation: StoreGeneration? = nil) -> Row? {
        state.withLock { state in find(id, asOf: generation, in: &state) }
    }

    /// Returns the rows that the cache contains, and the IDs of the other rows.
    ///
    /// - Parameters:
    ///   - ids: The IDs of the objects. The rows are returned in their order.
    ///   - generation: The state that the reader is pinned to. `nil` means the newest state.
    package func rows(
        for ids: [ObjectID], asOf generation: StoreGeneration? = nil
    ) -> (found: [Row], missing: [ObjectID]) {
        var found: [Row] = []
        var missing: [ObjectID] = []
        state.withLock { state in
            for id in ids {
                if let row = find(id, asOf: generation, in: &state) {
                    found.append(row)
                } else {
                    missing.append(id)
                }
            }
        }
        return (found, missing)
    }

    /// Returns the IDs whose rows the cache does not contain.
    package func missing(of ids: [ObjectID]) -> [ObjectID] {
        state.withLock { state in
            ids.filter { find($0, asOf: nil, in: &state) == nil }
        }
    }

    /// Adds a row that was read because the cache did not contain it. Ignores the row if `generation` is
    /// no longer the newest state.
    package func insert(_ row: Row, from generation: StoreGeneration) {
        state.withLock { state in
            guard generation == state.generation else { return }
            add(row, from: generation, to: &state)
        }
    }

    /// Adds rows that were read. Ignores them if `generation` is no longer the newest state.
    package func insert(_ rows: RowBatch, from generation: StoreGeneration) {
        guard !rows.holdsIDsOnly, !rows.isEmpty else { return }
        state.withLock { state in
            guard generation == state.generation else { return }
            guard rows.count < Self.fewestDeferred else {
                return deferRows(rows, from: generation, in: &state)
            }
            addNew(of: rows, from: generation, to: &state)
        }
    }

    /// Defers the last rows of a batch, as many as the limits allow.
    private func deferRows(
        _ rows: RowBatch, from generation: StoreGeneration, in state: inout State
    ) {
        let most = min(
            limits.rowCount, rows.count * limits.slabByteCount / max(1, rows.slabByteCount))
        let kept = rows.count <= most ? rows : rows.slice(rows.count - most..<rows.count)
        deferRows(Deferred(kept, generation), in: &state)
        while state.deferred.count > 1,
            state.deferredCount > limits.rowCount
                || state.deferredByteCount > limits.slabByteCount
        {
            let dropped = state.deferred.removeFirst()
            state.deferredCount -= dropped.rows.count
            state.deferredByteCount -= dropped.rows.slabByteCount
        }
        // Turn over as if the rows had been added to the tables one by one.
        if state.recent.count + state.deferredCount > limits.rowCount { turnOver(&state) }
    }

    private func deferRows(_ batch: Deferred, in state: inout State) {
        state.deferred.append(batch)
        state.deferredCount += batch.rows.count
        state.deferredByteCount += batch.rows.slabByteCount
        state.rootsWithoutDeferred.removeAll(keepingCapacity: true)
    }

    /// Adds those deferred batches to the tables that contain rows of a root entity. Batches of other
    /// entities stay deferred, so that firing the faults of a relationship does not pay for the fetch of
    /// their owners.
    private func addDeferred(rowsOf root: EntityNumber, to state: inout State) {
        guard !state.deferred.isEmpty, !state.rootsWithoutDeferred.contains(root) else { return }
        let (deferred, outdated, others) = (
            state.deferred, state.outdated, state.rootsWithoutDeferred
        )
        forgetDeferred(&state)
        for var batch in deferred {
            if batch.holdsRow(of: root) {
                addNew(of: batch.rows, from: batch.generation, butFor: outdated, to: &state)
            } else {
                deferRows(batch, in: &state)
            }
        }
        guard !state.deferred.isEmpty else { return }
        state.rootsWithoutDeferred = others + [root]
        state.outdated = outdated.filter { $0.rootEntity != root }
    }

    /// Adds rows, except for those whose IDs have recent rows, which are equally new or newer.
    private func addNew(
        of rows: RowBatch, from generation: StoreGeneration, butFor outdated: Set<ObjectID> = [],
        to state: inout State
    ) {
        var next = 0
        while next < rows.count {
            if state.recent.isFull(limits) { turnOver(&state) }
            next = state.recent.insert(
                newOf: rows, from: generation, butFor: outdated, start: next, upTo: limits)
        }
    }

    /// Records that deferred rows are outdated. A save must not pay for the rows that an earlier fetch
    /// deferred, so if most deferred rows would be outdated, all of them are dropped.
    private func outdate(
        _ ids: some Collection<ObjectID>, in state: inout State
    ) {
        guard !state.deferred.isEmpty, !ids.isEmpty else { return }
        guard state.outdated.count + ids.count <= state.deferredCount / 2 else {
            return forgetDeferred(&state)
        }
        state.outdated.formUnion(ids)
    }

    private func forgetDeferred(_ state: inout State) {
        state.deferred = []
        state.deferredCount = 0
        state.deferredByteCount = 0
        state.rootsWithoutDeferred = []
        state.outdated = []
    }

    /// The IDs whose rows differ between an earlier state of the store and a newer one.
    package struct Changes {
        let since: StoreGeneration
        let ids: [ObjectID]

        package init(since: StoreGeneration, ids: [ObjectID]) {
            self.since = since
            self.ids = ids
        }
    }

    /// Whether no state is known that is newer than `generation`.
    package func isNewest(_ generation: StoreGeneration) -> Bool {
        state.withLock { generation >= $0.generation }
    }

    /// Whether `generation` is the newest known state, so that the cache's rows are of that state.
    package func shows(_ generation: StoreGeneration) -> Bool {
        state.withLock { generation == $0.generation }
    }

    /// What the cache did about a state of the store.
    package enum Noted {
        /// The state is not newer than the known one.
        case known
        /// The state is newer, and the cache shows it now.
        case newer
        /// The state is newer, and the cache still has rows of the known state, the associated value.
        /// Nothing was recorded.
        case unexplained(since: StoreGeneration)
    }

    /// Records the newest state of the store, unless the cache has rows of an older one, for which
    /// ``noteGeneration(_:_:)`` needs to be told what changed.
    package func note(_ generation: StoreGeneration) -> Noted {
        state.withLock { state in
            guard generation > state.generation else {
                if generation == state.generation { state.lastSeen = .now }
                return .known
            }
            guard state.recent.count + state.older.count + state.deferredCount == 0 else {
                return .unexplained(since: state.generation)
            }
            state = State()
            state.generation = generation
            return .newer
        }
    }

    /// Records the newest state of the store. If the state is newer than the known one, the cache is
    /// emptied, unless `changes` says what changed since the known state.
    ///
    /// - Returns: Whether the state is newer than the known one.
    @discardableResult
    package func noteGeneration(
        _ generation: StoreGeneration, _ changes: Changes? = nil
    ) -> Bool {
        state.withLock { state in
            guard generation > state.generation else { return false }
            if let changes, changes.since == state.generation {
                outdate(changes.ids, in: &state)
                for id in changes.ids { forget(id, in: &state) }
                state.lastSeen = .now
            } else {
                state = State()
            }
            state.generation = generation
            return true
        }
    }

    /// Whether at least `age` has passed since the rows were last known to be the newest.
    package func isOlder(than age: Duration) -> Bool {
        state.withLock { $0.lastSeen.duration(to: .now) >= age }
    }

    /// Updates the cache with a save that this coordinator made.
    ///
    /// - Parameters:
    ///   - rows: The rows that were saved.
    ///   - newCount: How many of the rows belong to new objects. These rows come first.
    ///   - deleted: The IDs of the objects that were deleted.
    ///   - before: The state that the save was based on. `nil` if it is unknown.
    ///   - after: The state that the save created.
    ///   - isExclusive: Whether nobody else can have saved, so that `before` is not needed.
    package func adopt(
        saved rows: RowBatch, newCount: Int = 0, deleted: [ObjectID], before: StoreGeneration?,
        after: StoreGeneration, isExclusive: Bool = false
    ) {
        state.withLock { state in
            guard after >= state.generation else { return }
            let isGapless =
                state.generation == after || state.generation == before
                || before == nil && isExclusive
            // Someone else may have saved between the cached state and this save.
            if !isGapless { state = State() }
            state.generation = after
            outdate(deleted, in: &state)
            for id in deleted { forget(id, in: &state) }
            // New objects have no older rows anywhere, so large numbers of them can be deferred.
            let deferredCount = newCount < Self.fewestDeferred ? 0 : newCount
            outdate(rows.rowIndices.dropFirst(deferredCount).map { rows[row: $0].id }, in: &state)
            for index in rows.rowIndices.dropFirst(deferredCount) {
                add(rows[row: index], from: after, to: &state)
            }
            if deferredCount > 0 {
                deferRows(
                    deferredCount == rows.count ? rows : rows.slice(0..<deferredCount), from: after,
                    in: &state)
            }
        }
    }

    /// Removes all rows.
    package func removeAll() {
        state.withLock { state in
            let generation = state.generation
            state = State()
            state.generation = generation
        }
    }

    private func find(
        _ id: ObjectID, asOf generation: StoreGeneration? = nil, in state: inout State
    ) -> Row? {
        addDeferred(rowsOf: id.rootEntity, to: &state)
        if let row = state.recent.row(for: id, asOf: generation) { return row }
        guard state.older.count > 0, let row = state.older.row(for: id, asOf: generation),
            let origin = state.older.generation(of: id)
        else { return nil }
        add(row, from: origin, to: &state)
        return row
    }

    private func forget(_ id: ObjectID, in state: inout State) {
        state.recent.remove(id)
        state.older.remove(id)
    }

    /// Adds a row to the recent rows. If they are full, they become the older rows first.
    private func add(_ row: Row, from generation: StoreGeneration, to state: inout State) {
        if state.recent.isFull(limits) { turnOver(&state) }
        state.recent.insert(row, from: generation)
    }

    private func turnOver(_ state: inout State) {
        state.older = state.recent
        state.recent = RowTable()
    }
}

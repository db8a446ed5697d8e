import CairnModel
import CairnStore
import Synchronization

/// The rows of one store that were read or saved of late.
///
/// Every row in it is what the store holds in the newest state that the coordinator has seen: a
/// save replaces its rows here, and a state that someone else made empties the cache, or takes out
/// the rows that changed if the engine can tell. Each entry
/// also keeps the state it was read from, so that a reader pinned to an earlier one never gets a
/// newer row. Bounded: beyond ``Limits`` the rows not asked for since the last turn go.
///
/// What a fetch read, or a save inserted, is put aside as it is, and into the tables when a row of its
/// entity is asked for: most have their objects from the answer itself, and pay nothing for the cache.
///
/// Safe from any thread.
package final class RowCache: Sendable {
    /// When the cache turns over. Up to twice as much is kept.
    package struct Limits: Sendable {
        package var rowCount = 65_536
        /// Bytes of the slabs that rows keep alive: one row may hold a whole slab.
        package var slabByteCount = 64 << 20

        package init() {}
    }

    private struct State {
        /// The newest state of the store that was seen.
        var generation = StoreGeneration(0)
        /// When that was seen to be the newest.
        var lastSeen = ContinuousClock.now
        /// Rows that were put in or asked for since the last turn, and those of the turn before.
        var recent = RowTable()
        var older = RowTable()
        /// Rows that were read and are in no table yet, no more than the limits.
        var aside: [Aside] = []
        var asideCount = 0
        var asideByteCount = 0
        /// Root entities of which no row is put aside, as far as that was asked.
        var rootsNotAside: [EntityNumber] = []
        /// Of the rows that were put aside, those that a save has changed or deleted since.
        var outdated: Set<ObjectID> = []
    }

    private struct Aside {
        let rows: RowBatch
        /// The state that they were read from.
        let generation: StoreGeneration
        /// Root entities that were found to have no row here.
        private var otherRoots: [EntityNumber] = []

        init(_ rows: RowBatch, _ generation: StoreGeneration) {
            self.rows = rows
            self.generation = generation
        }

        /// Returns whether a row is of that root entity. If no row is, looks at all rows only the
        /// first time.
        mutating func holdsRow(of root: EntityNumber) -> Bool {
            if otherRoots.contains(root) { return false }
            for index in rows.rowIndices where rows.pointer(at: index).rootEntity == root {
                return true
            }
            otherRoots.append(root)
            return false
        }
    }

    /// Fewer rows go into the tables at once.
    private static let fewestAside = 64

    private let limits: Limits
    private let state = Mutex(State())

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many rows are kept; one that was asked for again may count twice.
    package var count: Int {
        state.withLock { $0.recent.count + $0.older.count + $0.asideCount }
    }

    /// Returns the row of an ID. Returns `nil` if the cache does not contain it.
    ///
    /// - Parameter generation: the state the reader is pinned to. `nil` stands for the newest.
    package func row(for id: ObjectID, asOf generation: StoreGeneration? = nil) -> Row? {
        state.withLock { state in find(id, asOf: generation, in: &state) }
    }

    /// Returns the rows that the cache contains, and the IDs whose rows it does not contain.
    ///
    /// - Parameter generation: the state the reader is pinned to. `nil` stands for the newest.
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

    /// Keeps a row that was read from a state of the store and was not here, unless that is not the
    /// newest any more.
    package func insert(_ row: Row, from generation: StoreGeneration) {
        state.withLock { state in
            guard generation == state.generation else { return }
            add(row, from: generation, to: &state)
        }
    }

    /// Keeps rows that were read from a state of the store, unless that is not the newest any more.
    package func insert(_ rows: RowBatch, from generation: StoreGeneration) {
        guard !rows.holdsIDsOnly, !rows.isEmpty else { return }
        state.withLock { state in
            guard generation == state.generation else { return }
            guard rows.count < Self.fewestAside else {
                return putAside(rows, from: generation, in: &state)
            }
            addNew(of: rows, from: generation, to: &state)
        }
    }

    /// Keeps the last rows of an answer, as many as the limits let.
    private func putAside(
        _ rows: RowBatch, from generation: StoreGeneration, in state: inout State
    ) {
        let most = min(
            limits.rowCount, rows.count * limits.slabByteCount / max(1, rows.slabByteCount))
        let kept = rows.count <= most ? rows : rows.slice(rows.count - most..<rows.count)
        putAside(Aside(kept, generation), in: &state)
        while state.aside.count > 1,
            state.asideCount > limits.rowCount
                || state.asideByteCount > limits.slabByteCount
        {
            let dropped = state.aside.removeFirst()
            state.asideCount -= dropped.rows.count
            state.asideByteCount -= dropped.rows.slabByteCount
        }
        // As if they had gone into the tables one by one.
        if state.recent.count + state.asideCount > limits.rowCount { turnOver(&state) }
    }

    private func putAside(_ batch: Aside, in state: inout State) {
        state.aside.append(batch)
        state.asideCount += batch.rows.count
        state.asideByteCount += batch.rows.slabByteCount
        state.rootsNotAside.removeAll(keepingCapacity: true)
    }

    /// Puts what was put aside into the tables: each answer with rows of a root entity. The faults of a
    /// relationship do not pay for the fetch of their owners.
    private func settle(rowsOf root: EntityNumber, _ state: inout State) {
        guard !state.aside.isEmpty, !state.rootsNotAside.contains(root) else { return }
        let (aside, outdated, others) = (state.aside, state.outdated, state.rootsNotAside)
        forgetAside(&state)
        for var batch in aside {
            if batch.holdsRow(of: root) {
                addNew(of: batch.rows, from: batch.generation, butFor: outdated, to: &state)
            } else {
                putAside(batch, in: &state)
            }
        }
        guard !state.aside.isEmpty else { return }
        state.rootsNotAside = others + [root]
        state.outdated = outdated.filter { $0.rootEntity != root }
    }

    /// Adds those of the rows that are not among the recent ones: those are as new, or newer.
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

    /// Notes that rows which were put aside are not those of the store any more. A save must not pay
    /// for what a fetch put aside before it: where most of that is outdated, the rest is forgotten.
    private func outdate(
        _ ids: some Collection<ObjectID>, in state: inout State
    ) {
        guard !state.aside.isEmpty, !ids.isEmpty else { return }
        guard state.outdated.count + ids.count <= state.asideCount / 2 else {
            return forgetAside(&state)
        }
        state.outdated.formUnion(ids)
    }

    private func forgetAside(_ state: inout State) {
        state.aside = []
        state.asideCount = 0
        state.asideByteCount = 0
        state.rootsNotAside = []
        state.outdated = []
    }

    /// What differs between an earlier state of the store and the one that is noted.
    package struct Changes {
        let since: StoreGeneration
        let ids: [ObjectID]

        package init(since: StoreGeneration, ids: [ObjectID]) {
            self.since = since
            self.ids = ids
        }
    }

    /// Returns the newest state that the cache knows. Returns `nil` if it is not older than
    /// `generation`, or if the cache has no rows.
    package func newestGeneration(before generation: StoreGeneration) -> StoreGeneration? {
        state.withLock { state in
            let isEmpty = state.recent.count + state.older.count + state.asideCount == 0
            return generation > state.generation && !isEmpty ? state.generation : nil
        }
    }

    /// Learns which state of the store is the newest. A newer one than known empties the cache, unless
    /// it is known what changed since the state that the cache is of.
    ///
    /// - Returns: whether it is newer than known.
    @discardableResult
    package func noteGeneration(
        _ generation: StoreGeneration, _ changes: Changes? = nil
    ) -> Bool {
        state.withLock { state in
            guard generation > state.generation else {
                if generation == state.generation { state.lastSeen = .now }
                return false
            }
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

    /// Whether the rows were last known to be the newest longer ago than that.
    package func isOlder(than age: Duration) -> Bool {
        state.withLock { $0.lastSeen.duration(to: .now) >= age }
    }

    /// Takes over what a save of this coordinator did.
    ///
    /// - Parameters:
    ///   - newCount: how many of the rows, the first ones, are of objects that the store did not have.
    ///   - before: the state that the save was made on. `nil` if it is not known.
    ///   - after: the state that the save made.
    ///   - isExclusive: whether nobody else can have saved, so that `before` need not be known.
    package func adopt(
        saved rows: RowBatch, newCount: Int = 0, deleted: [ObjectID], before: StoreGeneration?,
        after: StoreGeneration, isExclusive: Bool = false
    ) {
        state.withLock { state in
            guard after >= state.generation else { return }
            let isGapless =
                state.generation == after || state.generation == before
                || before == nil && isExclusive
            // Someone else may have saved between what is cached and this save.
            if !isGapless { state = State() }
            state.generation = after
            outdate(deleted, in: &state)
            for id in deleted { forget(id, in: &state) }
            // No older row of a new object is anywhere: many of them can wait to be asked for.
            let asideCount = newCount < Self.fewestAside ? 0 : newCount
            outdate(rows.rowIndices.dropFirst(asideCount).map { rows[row: $0].id }, in: &state)
            for index in rows.rowIndices.dropFirst(asideCount) {
                add(rows[row: index], from: after, to: &state)
            }
            if asideCount > 0 {
                putAside(
                    asideCount == rows.count ? rows : rows.slice(0..<asideCount), from: after,
                    in: &state)
            }
        }
    }

    /// Forgets all rows.
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
        settle(rowsOf: id.rootEntity, &state)
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

    /// Adds a row to the recent rows. If these are full, they become the older rows first.
    private func add(_ row: Row, from generation: StoreGeneration, to state: inout State) {
        if state.recent.isFull(limits) { turnOver(&state) }
        state.recent.insert(row, from: generation)
    }

    private func turnOver(_ state: inout State) {
        state.older = state.recent
        state.recent = RowTable()
    }
}

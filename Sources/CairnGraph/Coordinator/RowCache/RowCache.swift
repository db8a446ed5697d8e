import CairnModel
import CairnStore
import Synchronization

/// The rows of one store that were read or saved of late.
///
/// Every row in it is what the store holds in the newest state that the coordinator has seen: a
/// save replaces its rows here, and a state that someone else made empties the cache. Each entry
/// also keeps the state it was read from, so that a reader pinned to an earlier one never gets a
/// newer row. Bounded: beyond ``Limits`` the rows not asked for since the last turn go.
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
        /// Rows that were put in or asked for since the last turn, and those of the turn before.
        var recent = RowTable()
        var older = RowTable()
        var recentSlabByteCount = 0
        var lastSlab: ObjectIdentifier?
    }

    private let limits: Limits
    private let state = Mutex(State())

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many rows are kept; one that was asked for again may count twice.
    package var count: Int { state.withLock { $0.recent.count + $0.older.count } }

    /// Returns the row of an ID; nil where the cache has none.
    ///
    /// - Parameter generation: the state the reader is pinned to; nil: the newest.
    package func row(for id: ObjectID, asOf generation: StoreGeneration? = nil) -> Row? {
        state.withLock { state in find(id, asOf: generation, in: &state) }
    }

    /// Returns the rows that the cache has, and the IDs of which it has none.
    package func rows(for ids: [ObjectID]) -> (found: [Row], missing: [ObjectID]) {
        var found: [Row] = []
        var missing: [ObjectID] = []
        state.withLock { state in
            for id in ids {
                if let row = find(id, in: &state) {
                    found.append(row)
                } else {
                    missing.append(id)
                }
            }
        }
        return (found, missing)
    }

    /// Keeps rows that were read from a state of the store, unless that is not the newest any more.
    package func insert(_ rows: RowBatch, from generation: StoreGeneration) {
        guard !rows.holdsIDsOnly, !rows.isEmpty else { return }
        state.withLock { state in
            guard generation == state.generation else { return }
            for index in rows.rowIndices {
                keep(rows[row: index], from: generation, replacing: false, in: &state)
            }
        }
    }

    /// Learns which state of the store is the newest. A newer one than known empties the cache.
    package func noteGeneration(_ generation: StoreGeneration) {
        state.withLock { state in
            guard generation > state.generation else { return }
            state = State()
            state.generation = generation
        }
    }

    /// Takes over what a save of this coordinator did.
    ///
    /// - Parameters:
    ///   - before: the state that the save was made on; nil where it is not known.
    ///   - after: the state that the save made.
    ///   - isExclusive: whether nobody else can have saved, so that `before` need not be known.
    package func adopt(
        saved rows: RowBatch, deleted: [ObjectID], before: StoreGeneration?,
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
            for id in deleted { forget(id, in: &state) }
            for index in rows.rowIndices {
                keep(rows[row: index], from: after, replacing: true, in: &state)
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
        if let row = state.recent.row(for: id, asOf: generation) { return row }
        guard state.older.count > 0, let row = state.older.row(for: id, asOf: generation),
            let origin = state.older.generation(of: id)
        else { return nil }
        add(row, from: origin, to: &state)
        return row
    }

    private func keep(
        _ row: Row, from generation: StoreGeneration, replacing: Bool, in state: inout State
    ) {
        if !replacing, find(row.id, in: &state) != nil { return }
        add(row, from: generation, to: &state)
    }

    private func forget(_ id: ObjectID, in state: inout State) {
        state.recent.remove(id)
        state.older.remove(id)
    }

    /// Adds to the recent rows; where they are full, they become the older ones first.
    private func add(_ row: Row, from generation: StoreGeneration, to state: inout State) {
        if state.recent.count >= limits.rowCount
            || state.recentSlabByteCount >= limits.slabByteCount
        {
            state.older = state.recent
            state.recent = RowTable()
            state.recentSlabByteCount = 0
            state.lastSlab = nil
        }
        let slab = ObjectIdentifier(row.slab)
        if state.lastSlab != slab {
            state.recentSlabByteCount += row.slab.byteCount
            state.lastSlab = slab
        }
        state.recent.insert(row, from: generation)
    }
}

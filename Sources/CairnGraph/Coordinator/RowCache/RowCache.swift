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
/// What a fetch read is put aside as it is, and into the tables when a row is asked for: most
/// fetches make their objects from the answer itself, and pay nothing for the cache.
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
        /// The slabs of the recent rows, each counted once, and the last one counted.
        var recentSlabs: Set<ObjectIdentifier> = []
        var recentSlabByteCount = 0
        var lastSlab: ObjectIdentifier?
        /// Rows that were read and are in no table yet, no more than the limits.
        var aside: [RowBatch] = []
        var asideCount = 0
        var asideByteCount = 0
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
            guard rows.count < Self.fewestAside else { return putAside(rows, in: &state) }
            for index in rows.rowIndices {
                keep(rows[row: index], from: generation, replacing: false, in: &state)
            }
        }
    }

    /// Keeps the last rows of an answer, as many as the limits let.
    private func putAside(_ rows: RowBatch, in state: inout State) {
        let most = min(
            limits.rowCount, rows.count * limits.slabByteCount / max(1, rows.slabByteCount))
        let kept = rows.count <= most ? rows : rows.slice(rows.count - most..<rows.count)
        state.aside.append(kept)
        state.asideCount += kept.count
        state.asideByteCount += kept.slabByteCount
        while state.aside.count > 1,
            state.asideCount > limits.rowCount
                || state.asideByteCount > limits.slabByteCount
        {
            let dropped = state.aside.removeFirst()
            state.asideCount -= dropped.count
            state.asideByteCount -= dropped.slabByteCount
        }
        // As if they had gone into the tables one by one.
        if state.recent.count + state.asideCount > limits.rowCount { turnOver(&state) }
    }

    /// Puts what was put aside into the tables.
    private func settle(_ state: inout State) {
        guard !state.aside.isEmpty else { return }
        let aside = state.aside
        state.aside = []
        state.asideCount = 0
        state.asideByteCount = 0
        for rows in aside {
            for index in rows.rowIndices {
                keep(rows[row: index], from: state.generation, replacing: false, in: &state)
            }
        }
    }

    /// Learns which state of the store is the newest. A newer one than known empties the cache.
    ///
    /// - Returns: whether it is newer than known.
    @discardableResult
    package func noteGeneration(_ generation: StoreGeneration) -> Bool {
        state.withLock { state in
            guard generation > state.generation else {
                if generation == state.generation { state.lastSeen = .now }
                return false
            }
            state = State()
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
    ///   - before: the state that the save was made on; nil where it is not known.
    ///   - after: the state that the save made.
    ///   - isExclusive: whether nobody else can have saved, so that `before` need not be known.
    package func adopt(
        saved rows: RowBatch, deleted: [ObjectID], before: StoreGeneration?,
        after: StoreGeneration, isExclusive: Bool = false
    ) {
        state.withLock { state in
            guard after >= state.generation else { return }
            settle(&state)
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
        settle(&state)
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
            turnOver(&state)
        }
        let slab = ObjectIdentifier(row.slab)
        if state.lastSlab != slab {
            if state.recentSlabs.insert(slab).inserted {
                state.recentSlabByteCount += row.slab.byteCount
            }
            state.lastSlab = slab
        }
        state.recent.insert(row, from: generation)
    }

    private func turnOver(_ state: inout State) {
        state.older = state.recent
        state.recent = RowTable()
        state.recentSlabs = []
        state.recentSlabByteCount = 0
        state.lastSlab = nil
    }
}

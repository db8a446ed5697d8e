import CairnModel
import CairnStore
import Synchronization

/// What engines share that hold a whole store in memory: its current state and its write lock.
///
/// An engine forwards `snapshot`, `beginSave`, `metadata` and `close` to one of these.
package final class AtomicStore: Sendable {
    package let request: OpenRequest
    package let number: StoreNumber
    let type: StoreType
    let busyTimeout: Duration
    let writeLock = WriteLock()
    /// Used by the holder of the write lock only.
    let writer: Mutex<RowWriter>
    private let current: Mutex<State?>
    private let nextKeys = Mutex<[EntityNumber: Int64]>([:])

    /// One committed state.
    struct State: Sendable {
        var table: RowTable
        var metadata: StoreMetadata
        var generation: StoreGeneration
    }

    /// Makes a store of a table's rows.
    ///
    /// - Parameters:
    ///   - number: the one of the rows' IDs.
    ///   - busyTimeout: how long a save waits for others.
    package init(
        _ request: OpenRequest, number: StoreNumber, table: RowTable, metadata: StoreMetadata,
        busyTimeout: Duration
    ) {
        self.request = request
        self.number = number
        self.busyTimeout = busyTimeout
        type = metadata.type
        writer = Mutex(RowWriter(store: number))
        current = Mutex(
            State(table: table, metadata: metadata, generation: StoreGeneration(1)))
    }

    /// The newest committed state.
    ///
    /// - Throws: `.closed`.
    func state() throws(StoreError) -> State {
        guard let state = current.withLock({ $0 }) else { throw .closed(request.location) }
        return state
    }

    /// Makes a state the current one.
    ///
    /// - Throws: `.closed`.
    func publish(_ state: State) throws(StoreError) {
        let isOpen = current.withLock { current in
            guard current != nil else { return false }
            current = state
            return true
        }
        if !isOpen { throw .closed(request.location) }
    }

    /// Takes keys above all that were ever taken and all that the table has; nil: none are left.
    func takeKeys(_ count: Int, root: EntityNumber, in table: RowTable) -> Range<Int64>? {
        nextKeys.withLock { nextKeys in
            let highest = table.highestKey(root: root)
            let (above, isLast) = highest.addingReportingOverflow(1)
            let first = max(nextKeys[root] ?? 1, above)
            let (end, overflow) = first.addingReportingOverflow(Int64(count))
            guard !isLast, !overflow else { return nil }
            nextKeys[root] = end
            return first..<end
        }
    }

    // MARK: For the engine

    /// See ``PersistentStore/metadata()``.
    package func metadata() throws(StoreError) -> StoreMetadata { try state().metadata }

    /// See ``PersistentStore/snapshot()``.
    package func snapshot() throws(StoreError) -> AtomicSnapshot {
        AtomicSnapshot(store: self, state: try state())
    }

    /// See ``PersistentStore/beginSave()``.
    package func beginSave() throws(StoreError) -> AtomicSaveTransaction {
        if request.isReadOnly { throw .readOnly(request.location) }
        _ = try state()
        guard writeLock.take(waitingAtMost: busyTimeout) else {
            throw .busy(request.location, waited: busyTimeout)
        }
        do throws(StoreError) {
            return AtomicSaveTransaction(store: self, base: try state())
        } catch {
            writeLock.give()
            throw error
        }
    }

    /// See ``PersistentStore/close()``.
    package func close() {
        current.withLock { $0 = nil }
    }

    /// Throws `.closed` after ``close()``.
    func checkOpen() throws(StoreError) {
        if current.withLock({ $0 == nil }) { throw .closed(request.location) }
    }
}

import CairnMemory
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Synchronization

/// The faults to inject into a rigged store. Tests set them while the store is open.
package final class Rig: Sendable {
    package static let option: StoreOption = "rig"
    private static let all = Mutex<[String: Rig]>([:])

    package let name = UUID().uuidString
    private struct State {
        var openFailure: StoreError?
        var prepareFailure: StoreError?
        var commitFailure: StoreError?
        var onOpen: (@Sendable () -> Void)?
        var onSnapshot: (@Sendable () -> Void)?
        var onCursor: (@Sendable () -> Void)?
        var onPrepared: (@Sendable () -> Void)?
        var onCommit: (@Sendable () -> Void)?
        var keepsOthersFromSaving = false
        var leavesPredicates = false
        var fetchCount = 0
        var rollbackCount = 0
    }
    private let state = Mutex(State())
    /// If set, opening waits for this semaphore.
    package let openGate: DispatchSemaphore?

    package init(openGate: DispatchSemaphore? = nil) {
        self.openGate = openGate
        Self.all.withLock { $0[name] = self }
    }

    package static func named(_ name: String) -> Rig? { all.withLock { $0[name] } }

    package var openFailure: StoreError? {
        get { state.withLock { $0.openFailure } }
        set { state.withLock { $0.openFailure = newValue } }
    }
    package var prepareFailure: StoreError? {
        get { state.withLock { $0.prepareFailure } }
        set { state.withLock { $0.prepareFailure = newValue } }
    }
    package var commitFailure: StoreError? {
        get { state.withLock { $0.commitFailure } }
        set { state.withLock { $0.commitFailure = newValue } }
    }
    /// The value that every snapshot reports.
    package var keepsOthersFromSaving: Bool {
        get { state.withLock { $0.keepsOthersFromSaving } }
        set { state.withLock { $0.keepsOthersFromSaving = newValue } }
    }
    /// Whether every fetch returns all rows and leaves the predicate to the coordinator.
    package var leavesPredicates: Bool {
        get { state.withLock { $0.leavesPredicates } }
        set { state.withLock { $0.leavesPredicates = newValue } }
    }
    /// Called when a store is being opened, before ``openGate`` is waited for.
    package var onOpen: (@Sendable () -> Void)? {
        get { state.withLock { $0.onOpen } }
        set { state.withLock { $0.onOpen = newValue } }
    }
    /// Called after a snapshot was taken, before the coordinator receives it.
    package var onSnapshot: (@Sendable () -> Void)? {
        get { state.withLock { $0.onSnapshot } }
        set { state.withLock { $0.onSnapshot = newValue } }
    }
    /// Called in the middle of every fetch.
    package var onCursor: (@Sendable () -> Void)? {
        get { state.withLock { $0.onCursor } }
        set { state.withLock { $0.onCursor = newValue } }
    }
    /// Called after a request was prepared.
    package var onPrepared: (@Sendable () -> Void)? {
        get { state.withLock { $0.onPrepared } }
        set { state.withLock { $0.onPrepared = newValue } }
    }
    /// Called in every commit, after the save was performed.
    package var onCommit: (@Sendable () -> Void)? {
        get { state.withLock { $0.onCommit } }
        set { state.withLock { $0.onCommit = newValue } }
    }
    /// The number of reads of rows by ID.
    package var fetchCount: Int { state.withLock { $0.fetchCount } }
    package var rollbackCount: Int { state.withLock { $0.rollbackCount } }

    package func countFetch() { state.withLock { $0.fetchCount += 1 } }
    package func countRollback() { state.withLock { $0.rollbackCount += 1 } }
}

/// An in-memory store that fails as its rig specifies, and counts the calls that it receives.
package final class RiggedStore: PersistentStore {
    package static let type: StoreType = "Rigged"
    package static let capabilities = StoreCapabilities(
        readsDuringSave: true, isShared: true, options: [Rig.option])

    package let store: InMemoryStore
    package let rig: Rig

    private init(_ store: InMemoryStore, _ rig: Rig) {
        self.store = store
        self.rig = rig
    }

    package static func open(_ request: OpenRequest) throws(StoreError) -> RiggedStore {
        var request = request
        guard case .string(let name)? = request.options.removeValue(forKey: Rig.option),
            let rig = Rig.named(name)
        else { throw .invalidOption(Rig.option, detail: "it names a rig") }
        rig.onOpen?()
        rig.openGate?.wait()
        if let failure = rig.openFailure { throw failure }
        return RiggedStore(try InMemoryStore.open(request), rig)
    }

    package var number: StoreNumber { store.number }
    package var request: OpenRequest { store.request }
    package func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }
    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        let snapshot = RiggedSnapshot(snapshot: try store.snapshot(), rig: rig)
        rig.onSnapshot?()
        return snapshot
    }
    package func beginSave() throws(StoreError) -> any SaveTransaction {
        RiggedTransaction(transaction: try store.beginSave(), rig: rig)
    }
    package func close() throws(StoreError) { try store.close() }
}

private final class RiggedSnapshot: StoreSnapshot {
    let snapshot: any StoreSnapshot
    let rig: Rig

    init(snapshot: any StoreSnapshot, rig: Rig) {
        self.snapshot = snapshot
        self.rig = rig
    }

    var generation: StoreGeneration { snapshot.generation }
    func keepsOthersFromSaving() throws(StoreError) -> Bool { rig.keepsOthersFromSaving }
    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        rig.onCursor?()
        guard rig.leavesPredicates, let predicate = plan.predicate else {
            return try snapshot.cursor(plan)
        }
        var all = FetchPlan(entity: plan.entity, output: plan.output)
        all.includesSubentities = plan.includesSubentities
        return LeavingCursor(try snapshot.cursor(all), predicate)
    }
    func count(_ plan: FetchPlan) throws(StoreError) -> Int? { try snapshot.count(plan) }
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        rig.countFetch()
        return try snapshot.rows(for: ids)
    }
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try snapshot.relatedIDs(relationship, of: ids)
    }
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try snapshot.externalData(reference)
    }
}

private final class LeavingCursor: RowCursor {
    let completed: CompletedStages
    private let source: any RowCursor

    init(_ source: any RowCursor, _ predicate: BoundPredicate) {
        self.source = source
        completed = CompletedStages(
            remainingPredicate: predicate, isSorted: false, isPaged: false)
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try source.next(atMost: count)
    }
}

private final class RiggedTransaction: SaveTransaction {
    let transaction: any SaveTransaction
    let rig: Rig

    init(transaction: any SaveTransaction, rig: Rig) {
        self.transaction = transaction
        self.rig = rig
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try transaction.reserveKeys(counts)
    }
    func prepare(_ request: SaveRequest) throws(StoreError) {
        if let failure = rig.prepareFailure { throw failure }
        try transaction.prepare(request)
        rig.onPrepared?()
    }
    func commit() throws(StoreError) -> SaveOutcome {
        if let failure = rig.commitFailure { throw failure }
        let outcome = try transaction.commit()
        rig.onCommit?()
        return outcome
    }
    func rollback() {
        rig.countRollback()
        transaction.rollback()
    }
}

import Cairn
import Foundation
import Synchronization

/// Wraps a store of another engine and counts the rows and IDs that its cursors return.
final class RowCountingStore<Base: PersistentStore>: PersistentStore {
    static var type: StoreType { Base.type }
    static var capabilities: StoreCapabilities { Base.capabilities }

    private let base: Base

    private init(_ base: Base) { self.base = base }

    static func open(_ request: OpenRequest) throws(StoreError) -> RowCountingStore {
        RowCountingStore(try Base.open(request))
    }

    var number: StoreNumber { base.number }
    var request: OpenRequest { base.request }
    func metadata() throws(StoreError) -> StoreMetadata { try base.metadata() }
    func snapshot() throws(StoreError) -> any StoreSnapshot {
        CountingSnapshot(try base.snapshot(), of: number)
    }
    func newestGeneration() throws(StoreError) -> StoreGeneration { try base.newestGeneration() }
    func beginSave() throws(StoreError) -> any SaveTransaction { try base.beginSave() }
    func beginSave(reserving counts: [EntityNumber: Int]) throws(StoreError) -> BegunSave {
        try base.beginSave(reserving: counts)
    }
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome { try base.outcome(of: id) }
    func close() throws(StoreError) { try base.close() }
}

extension RowCountingStore: FileStore where Base: FileStore {
    static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try Base.metadata(at: location)
    }

    static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try Base.model(at: location)
    }

    static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        Base.companionFiles(of: location)
    }

    static func recognizes(_ location: StoreLocation) -> Bool { Base.recognizes(location) }

    static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Base.withExclusiveUse(of: location, body)
    }
}

/// The number of rows and IDs that the cursors of each store have returned.
enum HandedOutRows {
    fileprivate static let counts = Mutex<[StoreNumber: Int]>([:])

    /// Returns the number since the last call, and resets it.
    static func take(of store: any PersistentStore) -> Int {
        counts.withLock { $0.removeValue(forKey: store.number) ?? 0 }
    }
}

private final class CountingSnapshot: StoreSnapshot {
    private let base: any StoreSnapshot
    private let store: StoreNumber

    init(_ base: any StoreSnapshot, of store: StoreNumber) {
        self.base = base
        self.store = store
    }

    var generation: StoreGeneration { base.generation }
    var readPreferences: ReadPreferences { base.readPreferences }
    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        CountingCursor(try base.cursor(plan), of: store)
    }
    func count(_ plan: FetchPlan) throws(StoreError) -> Int? { try base.count(plan) }
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        let rows = try base.rows(for: ids)
        HandedOutRows.counts.withLock { $0[store, default: 0] += rows.count }
        return rows
    }
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try base.relatedIDs(relationship, of: ids)
    }
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try base.externalData(reference)
    }
    func end() { base.end() }
}

private final class CountingCursor: RowCursor {
    private let base: any RowCursor
    private let store: StoreNumber

    init(_ base: any RowCursor, of store: StoreNumber) {
        self.base = base
        self.store = store
    }

    var completed: CompletedStages { base.completed }
    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let batch = try base.next(atMost: count)
        HandedOutRows.counts.withLock { $0[store, default: 0] += batch?.count ?? 0 }
        return batch
    }
}

import CairnMemory
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Synchronization

/// The connection to a remote store. Records the messages sent, and can be cut.
final class Line: Sendable {
    private struct State {
        var messages: [String] = []
        var cutCount = 0
        var openSnapshots = 0
        var preferences = ReadPreferences(
            rowsPerBatch: 100_000, idsPerCall: 100_000, sendsRowsWithMembers: true)
        var tellsChanges = true
        var changes: [(generation: StoreGeneration, changes: StoreChanges)] = []
    }

    private let state = Mutex(State())

    /// Returns the messages sent since the last call of this function, and removes them.
    func takeMessages() -> [String] {
        state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    func send(_ message: String) { state.withLock { $0.messages.append(message) } }

    /// Ends all connections, so that operations begun on them fail.
    func cut() { state.withLock { $0.cutCount += 1 } }
    var cutCount: Int { state.withLock { $0.cutCount } }

    /// The number of snapshots that have not been ended with a call.
    var openSnapshots: Int { state.withLock { $0.openSnapshots } }
    func noteSnapshot(_ change: Int) { state.withLock { $0.openSnapshots += change } }

    var preferences: ReadPreferences {
        get { state.withLock { $0.preferences } }
        set { state.withLock { $0.preferences = newValue } }
    }

    /// Whether the store can report what changed.
    var tellsChanges: Bool {
        get { state.withLock { $0.tellsChanges } }
        set { state.withLock { $0.tellsChanges = newValue } }
    }

    func note(_ changes: StoreChanges, _ generation: StoreGeneration) {
        state.withLock { $0.changes.append((generation, changes)) }
    }

    func changes(since first: StoreGeneration, upTo last: StoreGeneration) -> StoreChanges? {
        state.withLock { state in
            guard state.tellsChanges else { return nil }
            var all = StoreChanges()
            for entry in state.changes where entry.generation > first && entry.generation <= last {
                all.inserted += entry.changes.inserted
                all.updated += entry.changes.updated
                all.deleted += entry.changes.deleted
            }
            return all
        }
    }
}

/// An in-memory store that behaves like a remote service: each call is a message.
final class RemoteStore: PersistentStore {
    static let type: StoreType = "Remote"
    static let capabilities = StoreCapabilities(
        isDurable: false, readsDuringSave: true, isShared: true)

    let store: InMemoryStore
    let line = Line()

    private init(_ store: InMemoryStore) { self.store = store }

    static func open(_ request: OpenRequest) throws(StoreError) -> RemoteStore {
        RemoteStore(try InMemoryStore.open(request))
    }

    var number: StoreNumber { store.number }
    var request: OpenRequest { store.request }
    func metadata() throws(StoreError) -> StoreMetadata { try store.metadata() }
    func snapshot() throws(StoreError) -> any StoreSnapshot {
        line.send("snapshot")
        return RemoteSnapshot(try store.snapshot(), line)
    }
    func newestGeneration() throws(StoreError) -> StoreGeneration {
        line.send("newestGeneration")
        return try store.newestGeneration()
    }
    func beginSave() throws(StoreError) -> any SaveTransaction {
        RemoteTransaction(try store.beginSave(), line)
    }
    func close() throws(StoreError) { try store.close() }

    /// Saves a change as another program would, without the coordinator's knowledge.
    func saveElsewhere(_ change: (inout SaveRequest) throws -> Void) throws {
        let save = try beginSave()
        var request = SaveRequest()
        try change(&request)
        try save.prepare(request)
        _ = try save.commit()
    }
}

private final class RemoteSnapshot: StoreSnapshot {
    private let base: any StoreSnapshot
    private let line: Line
    private let connection: Int
    private let isEnded = Mutex(false)

    init(_ base: any StoreSnapshot, _ line: Line) {
        self.base = base
        self.line = line
        connection = line.cutCount
        line.noteSnapshot(1)
    }

    private func send(_ message: String) throws(StoreError) {
        line.send(message)
        if isEnded.withLock({ $0 }) { throw .closed(.memory("remote")) }
        guard connection == line.cutCount else {
            throw .engineFailure(
                EngineFailure(
                    type: RemoteStore.type, location: .memory("remote"), operation: message,
                    code: 32, message: "the connection was lost", isTransient: true))
        }
    }

    var generation: StoreGeneration { base.generation }
    var readPreferences: ReadPreferences { line.preferences }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try send("fetch")
        return try RemoteCursor(
            try base.cursor(plan), line, batch: line.preferences.rowsPerBatch)
    }
    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        try send("count")
        return try base.count(plan)
    }
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try send("rows")
        return try base.rows(for: ids)
    }
    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try send("members")
        return try base.relatedIDs(relationship, of: ids)
    }
    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        try send("members")
        return try base.related(questions)
    }
    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try base.externalData(reference)
    }
    func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges? {
        line.changes(since: generation, upTo: self.generation)
    }
    func end() {
        let isFirst = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return !isEnded
        }
        if isFirst { line.noteSnapshot(-1) }
    }
}

/// A cursor whose first batch arrives with the answer to the fetch. That answer also says whether more
/// batches follow.
private final class RemoteCursor: RowCursor {
    let completed: CompletedStages
    private let base: any RowCursor
    private let line: Line
    private var batch: RowBatch?

    init(_ base: any RowCursor, _ line: Line, batch: Int) throws(StoreError) {
        self.base = base
        self.line = line
        completed = base.completed
        self.batch = try base.next(atMost: batch)
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        guard let current = batch else { return nil }
        batch = try base.next(atMost: count)
        if batch != nil { line.send("next batch") }
        return current
    }
}

private final class RemoteTransaction: SaveTransaction {
    private let base: any SaveTransaction
    private let line: Line
    private var changes = StoreChanges()

    init(_ base: any SaveTransaction, _ line: Line) {
        self.base = base
        self.line = line
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] { try base.reserveKeys(counts) }
    func prepare(_ request: SaveRequest) throws(StoreError) {
        try base.prepare(request)
        changes = StoreChanges(
            inserted: request.inserted.ids, updated: request.updated.map(\.row.id),
            deleted: request.deleted.map(\.id))
    }
    func commit() throws(StoreError) -> SaveOutcome {
        let outcome = try base.commit()
        line.note(changes, outcome.generation)
        return outcome
    }
    func rollback() { base.rollback() }
}

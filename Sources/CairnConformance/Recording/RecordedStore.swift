import CairnModel
import CairnStore
import Foundation

/// The store of a rule: passes every call on to the engine's store and notes it.
final class RecordedStore: SelfCheckingStore {
    static let type: StoreType = "Recorded"
    static let capabilities = StoreCapabilities()

    private let base: any PersistentStore
    private let log: StepLog
    private var text: StepText { StepText(model: base.request.model) }

    init(_ base: any PersistentStore, _ log: StepLog) {
        self.base = base
        self.log = log
    }

    // Rules ask the engine itself what is asked without a store.

    static func open(_ request: OpenRequest) throws(StoreError) -> RecordedStore {
        throw .notFound(request.location)
    }

    var number: StoreNumber { base.number }
    var request: OpenRequest { base.request }

    func metadata() throws(StoreError) -> StoreMetadata {
        try log.recording({ "metadata" }, { _ in nil }) { () throws(StoreError) in
            try base.metadata()
        }
    }

    func snapshot() throws(StoreError) -> any StoreSnapshot {
        let snapshot = try log.recording(
            { "snapshot" },
            { snapshot in
                let generation = snapshot.generation.rawValue
                return { "generation \(generation)" }
            }
        ) { () throws(StoreError) in try base.snapshot() }
        return RecordedSnapshot(snapshot, text, log)
    }

    func newestGeneration() throws(StoreError) -> StoreGeneration {
        try log.recording({ "newestGeneration" }, { found in { "\(found.rawValue)" } }) {
            () throws(StoreError) in try base.newestGeneration()
        }
    }

    func beginSave() throws(StoreError) -> any SaveTransaction {
        let save = try log.recording({ "beginSave" }, { _ in nil }) { () throws(StoreError) in
            try base.beginSave()
        }
        return RecordedTransaction(save, text, log)
    }

    func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        let text = text
        var begun = try log.recording(
            { "beginSave reserving \(text.counts(counts))" },
            { begun in
                let keys = begun.keys
                return { text.keys(keys) }
            }
        ) { () throws(StoreError) in try base.beginSave(reserving: counts) }
        begun.transaction = RecordedTransaction(begun.transaction, text, log)
        return begun
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? {
        let text = text
        return try log.recording(
            { "reserveKeys \(text.counts(counts)), apart from a save" },
            { keys in { keys.map(text.keys) ?? "only in a save" } }
        ) { () throws(StoreError) in try base.reserveKeys(counts) }
    }

    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try log.recording({ "outcome of \(id)" }, { outcome in { "\(outcome)" } }) {
            () throws(StoreError) in try base.outcome(of: id)
        }
    }

    var commitsDurably: Bool { base.commitsDurably }

    func synchronize() throws(StoreError) {
        try log.recording({ "synchronise" }, { _ in { "done" } }) {
            () throws(StoreError) in try base.synchronize()
        }
    }

    func byteCount() throws(StoreError) -> Int? {
        try (base as? any SelfCheckingStore)?.byteCount()
    }

    func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        try log.recording({ "findDisagreements" }, { found in { "\(found)" } }) {
            () throws(StoreError) in
            try (base as? any SelfCheckingStore)?.findDisagreements() ?? []
        }
    }

    func close() throws(StoreError) {
        try log.recording({ "close" }, { _ in nil }) { () throws(StoreError) in try base.close() }
    }
}

/// A snapshot of a ``RecordedStore``.
final class RecordedSnapshot: StoreSnapshot {
    private let base: any StoreSnapshot
    private let text: StepText
    private let log: StepLog

    init(_ base: any StoreSnapshot, _ text: StepText, _ log: StepLog) {
        self.base = base
        self.text = text
        self.log = log
    }

    var generation: StoreGeneration { base.generation }
    var readPreferences: ReadPreferences { base.readPreferences }

    func keepsOthersFromSaving() throws(StoreError) -> Bool {
        try log.recording({ "keepsOthersFromSaving" }, { found in { "\(found)" } }) {
            () throws(StoreError) in try base.keepsOthersFromSaving()
        }
    }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        let text = text
        let cursor = try log.recording({ "fetch \(text.plan(plan))" }, { _ in nil }) {
            () throws(StoreError) in try base.cursor(plan)
        }
        return RecordedCursor(cursor, text, log)
    }

    func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart] {
        let (text, log) = (text, log)
        let parts = try log.recording(
            { "at most \(count) parts of fetch \(text.plan(plan))" },
            { parts in { "\(parts.count) parts" } }
        ) { () throws(StoreError) in
            try base.parts(of: plan, atMost: count, rowsEach: rowsEach)
        }
        return parts.map { part in
            FetchPart { () throws(StoreError) in RecordedCursor(try part.cursor(), text, log) }
        }
    }

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        let text = text
        return try log.recording(
            { "count \(text.plan(plan))" },
            { found in { found.map(String.init) ?? "it cannot tell" } }
        ) { () throws(StoreError) in try base.count(plan) }
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        let text = text
        return try log.recording({ "rows for \(text.objects(ids))" }, Self.found(text)) {
            () throws(StoreError) in try base.rows(for: ids)
        }
    }

    private static func found(_ text: StepText) -> (RowBatch) -> (@Sendable () -> String)? {
        { batch in
            let ids = batch.ids
            return { text.objects(ids) }
        }
    }

    func row(for id: ObjectID) throws(StoreError) -> Row? {
        let text = text
        return try log.recording(
            { "row for \(text.object(id))" },
            { row in
                let id = row?.id
                return { id.map(text.object) ?? "nil" }
            }
        ) { () throws(StoreError) in try base.row(for: id) }
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        let text = text
        return try log.recording(
            { "\(relationship.name) of \(text.objects(ids))" },
            { related in { text.objects(related.members) } }
        ) { () throws(StoreError) in try base.relatedIDs(relationship, of: ids) }
    }

    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        let text = text
        return try log.recording(
            {
                text.list(
                    questions.map { "\($0.relationship.name) of \(text.objects($0.owners))" })
            },
            { answer in { text.list(answer.members.map { text.objects($0.members) }) } }
        ) { () throws(StoreError) in try base.related(questions) }
    }

    func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges? {
        let text = text
        return try log.recording(
            { "changes since \(generation.rawValue)" },
            { changes in
                {
                    changes.map { text.objects($0.inserted + $0.updated + $0.deleted) }
                        ?? "it cannot tell"
                }
            }
        ) { () throws(StoreError) in try base.changes(since: generation) }
    }

    func end() {
        log.note { "end" }
        base.end()
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try log.recording({ "externalData" }, { data in { "\(data.count) bytes" } }) {
            () throws(StoreError) in try base.externalData(reference)
        }
    }
}

/// A cursor of a ``RecordedSnapshot``.
final class RecordedCursor: RowCursor {
    private let base: any RowCursor
    private let text: StepText
    private let log: StepLog

    init(_ base: any RowCursor, _ text: StepText, _ log: StepLog) {
        self.base = base
        self.text = text
        self.log = log
    }

    var completed: CompletedStages { base.completed }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let text = text
        return try log.recording(
            { "next at most \(count)" },
            { batch in
                let ids = batch?.ids
                return { ids.map(text.objects) ?? "the end" }
            }
        ) { () throws(StoreError) in try base.next(atMost: count) }
    }
}

/// A save of a ``RecordedStore``.
final class RecordedTransaction: SaveTransaction {
    private let base: any SaveTransaction
    private let text: StepText
    private let log: StepLog

    init(_ base: any SaveTransaction, _ text: StepText, _ log: StepLog) {
        self.base = base
        self.text = text
        self.log = log
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        let text = text
        return try log.recording(
            { "reserveKeys \(text.counts(counts))" }, { keys in { text.keys(keys) } }
        ) { () throws(StoreError) in try base.reserveKeys(counts) }
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        let text = text
        try log.recording({ "prepare: \(text.request(request))" }, { _ in nil }) {
            () throws(StoreError) in try base.prepare(request)
        }
    }

    func commit() throws(StoreError) -> SaveOutcome {
        try log.recording(
            { "commit" },
            { outcome in
                let generation = outcome.generation.rawValue
                return { "generation \(generation)" }
            }
        ) { () throws(StoreError) in try base.commit() }
    }

    func rollback() {
        log.note { "rollback" }
        base.rollback()
    }
}

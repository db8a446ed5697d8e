import CairnModel
import CairnStore
import Foundation

/// The store of a rule. It passes all calls on to the engine's store and records them.
final class RecordedStore: SelfCheckingStore, HistoryStore {
    static let type: StoreType = "Recorded"
    static let capabilities = StoreCapabilities()

    private let base: any PersistentStore
    private let log: StepLog
    private var text: StepText { StepText(model: base.request.model) }

    init(_ base: any PersistentStore, _ log: StepLog) {
        self.base = base
        self.log = log
    }

    // Rules call the static methods of the engine itself, so this is never called.

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

    func stateToCopy() throws(StoreError) -> (any StateToCopy)? {
        try log.recording(
            { "stateToCopy" },
            { state in
                let isThere = state != nil
                return { isThere ? "a state" : "no state" }
            }
        ) { () throws(StoreError) in try base.stateToCopy() }
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

    func findUnexplainedValues() throws(StoreError) -> [StoreDisagreement] {
        try log.recording({ "findUnexplainedValues" }, { found in { "\(found)" } }) {
            () throws(StoreError) in
            try (base as? any SelfCheckingStore)?.findUnexplainedValues() ?? []
        }
    }

    private func history() throws(StoreError) -> any HistoryStore {
        if let base = base as? any HistoryStore { return base }
        throw .historyUnavailable(request.location, .notTracked)
    }

    func newestHistoryPosition() throws(StoreError) -> HistoryPosition? {
        try log.recording(
            { "newestHistoryPosition" },
            { found in { found.map { "\($0.number)" } ?? "no transaction" } }
        ) { () throws(StoreError) in try history().newestHistoryPosition() }
    }

    func history(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        let start = position.map { "\($0.number)" } ?? "nil"
        return try log.recording(
            { "history after \(start), at most \(limit)" },
            { found in
                let numbers = found.map(\.position.number)
                return { "\(numbers)" }
            }
        ) { () throws(StoreError) in try history().history(after: position, limit: limit) }
    }

    func purgeHistory(before position: HistoryPosition) throws(StoreError) {
        try log.recording({ "purgeHistory before \(position.number)" }, { _ in { "done" } }) {
            () throws(StoreError) in try history().purgeHistory(before: position)
        }
    }

    func addHistory(_ transactions: [PersistentHistoryTransaction]) throws(StoreError) {
        let numbers = transactions.map(\.position.number)
        try log.recording({ "addHistory \(numbers)" }, { _ in { "done" } }) {
            () throws(StoreError) in try history().addHistory(transactions)
        }
    }

    func close() throws(StoreError) {
        try log.recording({ "close" }, { _ in nil }) { () throws(StoreError) in try base.close() }
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

    func keepOthersWaiting() throws(StoreError) {
        try log.recording({ "keepOthersWaiting" }, { _ in nil }) {
            () throws(StoreError) in try base.keepOthersWaiting()
        }
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        let text = text
        try log.recording({ "prepare: \(text.request(request))" }, { _ in nil }) {
            () throws(StoreError) in try base.prepare(request)
        }
    }

    func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        let text = text
        return try log.recording({ "prepareNext: \(text.request(request))" }, { _ in nil }) {
            () throws(StoreError) in try base.prepareNext(request)
        }
    }

    func discardLast() throws(StoreError) {
        try log.recording({ "discardLast" }, { _ in nil }) {
            () throws(StoreError) in try base.discardLast()
        }
    }

    func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? {
        let text = text
        return try log.recording(
            { "\(relationship.name) of \(text.objects(owners)), which are deleted" },
            { related in { related.map { text.objects($0.members) } ?? "no answer" } }
        ) { () throws(StoreError) in try base.members(relationship, ofDeleted: owners) }
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

import CairnModel
import CairnRows
import CairnStore
import Foundation

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
        return recorded(cursor)
    }

    private func recorded(_ cursor: any RowCursor) -> any RowCursor {
        let (text, log) = (text, log)
        return BatchCursor(of: cursor, completed: cursor.completed) { count throws(StoreError) in
            try log.recording(
                { "next at most \(count)" },
                { batch in
                    let ids = batch?.ids
                    return { ids.map(text.objects) ?? "the end" }
                }
            ) { () throws(StoreError) in try cursor.next(atMost: count) }
        }
    }

    func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart] {
        let text = text
        let parts = try log.recording(
            { "at most \(count) parts of fetch \(text.plan(plan))" },
            { parts in { "\(parts.count) parts" } }
        ) { () throws(StoreError) in
            try base.parts(of: plan, atMost: count, rowsEach: rowsEach)
        }
        return parts.map { part in
            FetchPart { () throws(StoreError) in self.recorded(try part.cursor()) }
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

/// Creates the texts for objects and requests in steps.
struct StepText: Sendable {
    let model: ManagedObjectModel

    /// The number of objects that a step lists before it is shortened with “…”.
    private static let limit = 6

    func object(_ id: ObjectID) -> String { "\(entity(id.entity)) \(id.key)" }

    func entity(_ number: EntityNumber) -> String {
        model.entity(numbered: number)?.name ?? "entity \(number.rawValue)"
    }

    func objects(_ ids: [ObjectID]) -> String { list(ids.map(object)) }

    func list(_ texts: [String]) -> String {
        if texts.isEmpty { return "nothing" }
        let more = texts.count > Self.limit ? ", … (\(texts.count) in all)" : ""
        return texts.prefix(Self.limit).joined(separator: ", ") + more
    }

    func counts(_ counts: [EntityNumber: Int]) -> String {
        list(counts.map { "\($0.value) of \(entity($0.key))" })
    }

    func keys(_ keys: [EntityNumber: Range<Int64>]) -> String {
        list(keys.map { "\(entity($0.key)) \($0.value)" })
    }

    func request(_ request: SaveRequest) -> String {
        var parts: [String] = []
        if !request.inserted.isEmpty { parts.append("inserts \(objects(request.inserted.ids))") }
        if !request.updated.isEmpty {
            let updates = request.updated.map {
                "\(object($0.row.id)) from version \($0.previousVersion)"
            }
            parts.append("updates \(list(updates))")
        }
        if !request.deleted.isEmpty {
            parts.append("deletes \(objects(request.deleted.map(\.id)))")
        }
        if !request.pairs.isEmpty { parts.append("pairs \(list(request.pairs.map(pair)))") }
        if !request.metadata.isEmpty {
            parts.append("metadata \(list(request.metadata.keys.sorted()))")
        }
        if let id = request.id { parts.append("the name \(id)") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    }

    private func pair(_ pair: PairChange) -> String {
        let keys = [pair.orderKey, pair.inverseOrderKey].compactMap { $0.map(String.init) }
        return "\(pair.kind) \(pair.relationship.name) of \(object(pair.owner)):"
            + " \(object(pair.member))"
            + (keys.isEmpty ? "" : " at \(keys.joined(separator: " and "))")
    }

    func plan(_ plan: FetchPlan) -> String {
        var text = plan.entity.name
        if let predicate = plan.predicate { text += " where \(predicate)" }
        if !plan.sorts.isEmpty { text += ", \(plan.sorts.count) sort(s)" }
        if plan.offset > 0 { text += ", offset \(plan.offset)" }
        if let limit = plan.limit { text += ", limit \(limit)" }
        return text
    }
}

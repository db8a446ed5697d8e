import Cairn
import CairnStore
import Foundation

/// A snapshot of a ``FaultInjectingStore``, whose calls can fail.
final class FaultInjectingSnapshot: StoreSnapshot {
    private let base: any StoreSnapshot
    private let calls: StoreCalls

    init(_ base: any StoreSnapshot, _ calls: StoreCalls) {
        (self.base, self.calls) = (base, calls)
    }

    var generation: StoreGeneration { base.generation }
    var readPreferences: ReadPreferences { base.readPreferences }

    func keepsOthersFromSaving() throws(StoreError) -> Bool { try base.keepsOthersFromSaving() }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try calls.check(.fetch)
        return Self.checking(try base.cursor(plan), calls)
    }

    private static func checking(_ cursor: any RowCursor, _ calls: StoreCalls) -> any RowCursor {
        BatchCursor(of: cursor, completed: cursor.completed) { count throws(StoreError) in
            try calls.check(.nextBatch)
            let batch = try cursor.next(atMost: count)
            calls.faults?.noteRows(batch?.count ?? 0)
            return batch
        }
    }

    func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart] {
        let parts = try base.parts(of: plan, atMost: count, rowsEach: rowsEach)
        // If there are no parts, the coordinator requests a cursor for the whole fetch.
        if parts.isEmpty { return [] }
        try calls.check(.fetch)
        return parts.map { [calls] part in
            FetchPart { () throws(StoreError) in Self.checking(try part.cursor(), calls) }
        }
    }

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        try calls.check(.count)
        return try base.count(plan)
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try calls.check(.rows)
        let rows = try base.rows(for: ids)
        calls.faults?.noteRows(rows.count)
        return rows
    }

    func row(for id: ObjectID) throws(StoreError) -> Row? {
        try calls.check(.row)
        let row = try base.row(for: id)
        if row != nil { calls.faults?.noteRows(1) }
        return row
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try calls.check(.relationship)
        return try base.relatedIDs(relationship, of: ids)
    }

    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        try calls.check(.relationship)
        return try base.related(questions)
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try calls.check(.externalData)
        return try base.externalData(reference)
    }

    func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges? {
        try calls.check(.changes)
        return try base.changes(since: generation)
    }

    func end() { base.end() }
}

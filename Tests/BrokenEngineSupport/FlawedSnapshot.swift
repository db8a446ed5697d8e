import CairnModel
import CairnRows
import CairnStore
import Foundation
import Synchronization

/// A snapshot that is sound except for the flaw of its store.
final class FlawedSnapshot: StoreSnapshot {
    let held: any StoreSnapshot
    private let store: FlawedStore
    private let isEnded = Mutex(false)
    private let newestCursor = NewestCursor()

    private let laterGeneration: StoreGeneration?

    init(
        _ base: any StoreSnapshot, _ store: FlawedStore, laterGeneration: StoreGeneration? = nil
    ) {
        held = base
        self.store = store
        self.laterGeneration = laterGeneration
    }

    private var flaw: Flaw { store.flaw }
    private var packing: Packing { Packing(store: store.base) }

    var generation: StoreGeneration { store.generation(laterGeneration ?? held.generation) }

    func keepsOthersFromSaving() throws(StoreError) -> Bool {
        flaw.saysThatSnapshotsBlock ? true : try base().keepsOthersFromSaving()
    }

    func end() {
        guard !isEnded.withLock({ $0 }) else {
            if flaw.ending == .endsTheNewest { store.endNewest() }
            return
        }
        isEnded.withLock { $0 = true }
    }

    func markEnded() { isEnded.withLock { $0 = true } }

    /// Whether a flaw currently hides all rows.
    private var answersNothing: Bool {
        let isLate = StoreDeadline.current.map { $0 < .now } ?? false
        return flaw.ending == .answersNothing && isEnded.withLock { $0 }
            || flaw.lateness == .answersNothing && isLate
    }

    private func base() throws(StoreError) -> any StoreSnapshot {
        if isEnded.withLock({ $0 }), flaw.ending != .answersNothing {
            throw .closed(store.request.location)
        }
        return flaw.snapshots == .showTheNewest ? try store.base.snapshot() : held
    }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        var asked = plan
        flaw.asked(&asked)
        let cursor: any RowCursor
        do {
            cursor = try base().cursor(asked)
        } catch {
            guard flaw.cursors == .endQuietlyAtErrors, case .predicate = error else { throw error }
            return AnswerCursor(RowBatch(), CompletedStages())
        }
        var completed = cursor.completed
        flaw.claimed(&completed, plan)
        guard let answered = flaw.answered else {
            return FlawedCursor(cursor, completed, flaw, newestCursor)
        }
        var all = RowBatch()
        while let batch = try cursor.next(atMost: 1000) { all.append(batch) }
        return AnswerCursor(try answered(all, plan, packing), completed)
    }

    func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart] {
        try FlawedParts(kind: flaw.parts, plan: plan, count: count, rowsEach: rowsEach)
            .make(of: try base(), store: store.base)
    }

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        var asked = plan
        flaw.asked(&asked)
        return try base().count(asked).map { flaw.counted($0, plan) }
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        answersNothing ? RowBatch() : try flaw.found(try base().rows(for: ids), ids, packing)
    }

    func row(for id: ObjectID) throws(StoreError) -> Row? {
        do {
            return flaw.foundAlone(try base().row(for: id), packing)
        } catch {
            if flaw.closing == .hidesRows, case .closed = error { return nil }
            throw error
        }
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        let owners = flaw.owners(ids, packing)
        return flaw.related(try base().relatedIDs(relationship, of: owners), relationship)
    }

    var readPreferences: ReadPreferences {
        var preferences = held.readPreferences
        flaw.preferred(&preferences)
        return preferences
    }

    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        var answer = try base().related(questions)
        flaw.answeredTogether(&answer)
        return answer
    }

    func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges? {
        guard let change = flaw.changed, let earlier = store.state(of: generation) else {
            return nil
        }
        var changes = StoreChanges()
        for entity in store.request.model.entities where entity.superentity == nil {
            let (old, new) = (try rows(of: entity, in: earlier), try rows(of: entity, in: held))
            changes.inserted += new.keys.filter { old[$0] == nil }
            changes.deleted += old.keys.filter { new[$0] == nil }
            changes.updated += new.compactMap { (id, row) -> ObjectID? in
                guard let former = old[id] else { return nil }
                let differs =
                    flaw.changesByVersion
                    ? former.version != row.version : !Row.hasSameBytes(former, row)
                return differs ? id : nil
            }
        }
        change(&changes)
        return changes
    }

    /// Returns the rows of an entity.
    private func rows(
        of entity: Entity, in snapshot: any StoreSnapshot
    ) throws(StoreError) -> [ObjectID: Row] {
        var rows: [ObjectID: Row] = [:]
        let cursor = try snapshot.cursor(FetchPlan(entity: entity))
        while let batch = try cursor.next(atMost: 1000) {
            for row in batch.rows { rows[row.id] = row }
        }
        return rows
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try base().externalData(reference)
    }
}

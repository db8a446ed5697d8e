import CairnModel
import CairnStore
import Foundation
import Synchronization

/// A sound store, but for its flaw.
final class FlawedStore: SelfCheckingStore {
    static let type: StoreType = "Flawed"
    static let capabilities = StoreCapabilities()

    let base: any PersistentStore
    let flaw: Flaw
    let request: OpenRequest
    private let first = Mutex<(any StoreSnapshot)?>(nil)
    private let keptMetadata = Mutex<StoreMetadata?>(nil)
    /// How many saves changed nothing but metadata.
    let metadataSaveCount = Mutex<UInt64>(0)
    /// The locations of the stores that this process has open.
    private static let openLocations = Mutex<[StoreLocation]>([])

    init(_ base: any PersistentStore, _ flaw: Flaw, _ request: OpenRequest) {
        self.base = base
        self.flaw = flaw
        self.request = request
        Self.openLocations.withLock { $0.append(request.location) }
    }

    static func isOpen(_ location: StoreLocation) -> Bool {
        openLocations.withLock { $0.contains(location) }
    }

    static func open(_ request: OpenRequest) throws(StoreError) -> FlawedStore {
        throw .notFound(request.location)
    }

    var number: StoreNumber { base.number }

    func byteCount() throws(StoreError) -> Int? {
        try (base as? any SelfCheckingStore)?.byteCount()
    }

    func metadata() throws(StoreError) -> StoreMetadata {
        if flaw.keepsMetadata, let kept = keptMetadata.withLock({ $0 }) { return kept }
        var metadata = try base.metadata()
        flaw.described(&metadata, request)
        if flaw.naming == .showsNamesInMetadata {
            metadata.values["saves"] = .integer(Int64(names.withLock { $0.count }))
        }
        keptMetadata.withLock { $0 = metadata }
        return metadata
    }

    /// The names of saves that the flaw has noted.
    let names = Mutex<[SaveID]>([])

    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        let sound = try base.outcome(of: id)
        let names = names.withLock { $0 }
        switch flaw.naming {
        case .sound, .recordsInAnotherSave, .showsNamesInMetadata: return sound
        case .forgetsAtOnce: return .forgotten
        case .recordsAtPrepare, .keepsNamesInMemory: return names.contains(id) ? .saved : .notSaved
        case .remembersTen:
            return names.suffix(10).contains(id)
                ? .saved : names.contains(id) ? .forgotten : .notSaved
        case .callsForgottenNotSaved: return sound == .forgotten ? .notSaved : sound
        }
    }

    func forgetMetadata() { keptMetadata.withLock { $0 = nil } }

    /// The generation that the flawed store shows for one of the sound store.
    func generation(_ sound: StoreGeneration) -> StoreGeneration {
        let hidden = metadataSaveCount.withLock { $0 }
        return flaw.generation(StoreGeneration(sound.rawValue - hidden))
    }

    /// The newest snapshot that was taken.
    private let newest = Mutex<FlawedSnapshot?>(nil)
    /// The states of before, for an engine that tells changes.
    private let states = Mutex<[StoreGeneration: any StoreSnapshot]>([:])

    func snapshot() throws(StoreError) -> any StoreSnapshot {
        let snapshot = FlawedSnapshot(try soundSnapshot(), self)
        if flaw.ending == .endsTheNewest { newest.withLock { $0 = snapshot } }
        if flaw.changed != nil {
            states.withLock { $0[snapshot.generation] = snapshot.held }
        }
        return snapshot
    }

    func endNewest() { newest.withLock { $0 }?.markEnded() }

    func state(of generation: StoreGeneration) -> (any StoreSnapshot)? {
        states.withLock { $0[generation] }
    }

    private func soundSnapshot() throws(StoreError) -> any StoreSnapshot {
        let newest = try base.snapshot()
        guard flaw.snapshots == .showTheFirst else { return newest }
        return first.withLock { first in
            first = first ?? newest
            return first ?? newest
        }
    }

    func beginSave() throws(StoreError) -> any SaveTransaction {
        if flaw.saving == .locksAtPrepare { return LateTransaction(base) }
        try saveDelayed()
        return FlawedTransaction(try base.beginSave(), self)
    }

    func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        let transaction = try beginSave()
        do throws(StoreError) {
            let keys = counts.isEmpty ? [:] : try transaction.reserveKeys(counts)
            var begun = BegunSave(transaction, keys: keys, generation: try newestGeneration())
            flaw.begun(&begun)
            return begun
        } catch {
            if !flaw.keepsLockWithoutKeys {
                transaction.rollback()
            } else {
                // For ever, as by a connection that nobody closes.
                _ = Unmanaged.passRetained(transaction as AnyObject)
            }
            throw error
        }
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? {
        if let keysApart = flaw.keysApart { return keysApart(counts) }
        return try base.reserveKeys(counts)
    }

    /// What was acknowledged and not saved.
    let delayed = Mutex<SaveRequest?>(nil)

    private func saveDelayed() throws(StoreError) {
        guard let request = delayed.withLock({ $0.take() }) else { return }
        let save = try base.beginSave()
        try save.prepare(request)
        _ = try save.commit()
    }

    func close() throws(StoreError) {
        first.withLock { $0 = nil }
        newest.withLock { $0 = nil }
        states.withLock { $0 = [:] }
        Self.openLocations.withLock { open in
            if let index = open.firstIndex(of: request.location) { open.remove(at: index) }
        }
        if flaw.closes { try base.close() }
    }
}

/// A sound snapshot, but for the flaw of its store.
final class FlawedSnapshot: StoreSnapshot {
    let held: any StoreSnapshot
    private let store: FlawedStore
    private let isEnded = Mutex(false)

    init(_ base: any StoreSnapshot, _ store: FlawedStore) {
        held = base
        self.store = store
    }

    private var flaw: Flaw { store.flaw }
    private var packing: Packing { Packing(store: store.base) }

    var generation: StoreGeneration { store.generation(held.generation) }

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

    /// Whether a flaw hides all rows.
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
        let cursor = try base().cursor(asked)
        var completed = cursor.completed
        flaw.claimed(&completed, plan)
        guard let answered = flaw.answered else {
            return FlawedCursor(cursor, completed, flaw.batchSize)
        }
        var all = RowBatch()
        while let batch = try cursor.next(atMost: 1000) { all.append(batch) }
        return AnswerCursor(try answered(all, plan, packing), completed)
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
        flaw.foundAlone(try base().row(for: id), packing)
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        flaw.related(try base().relatedIDs(relationship, of: ids), relationship)
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
            changes.updated += new.keys.filter { old[$0] != nil && old[$0] != new[$0] }
        }
        change(&changes)
        return changes
    }

    /// The version of each row of an entity.
    private func rows(
        of entity: Entity, in snapshot: any StoreSnapshot
    ) throws(StoreError) -> [ObjectID: Int64] {
        var versions: [ObjectID: Int64] = [:]
        let cursor = try snapshot.cursor(FetchPlan(entity: entity))
        while let batch = try cursor.next(atMost: 1000) {
            for row in batch.rows { versions[row.id] = row.version }
        }
        return versions
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try base().externalData(reference)
    }
}

/// A sound cursor that is asked for other numbers of rows, or claims other stages.
final class FlawedCursor: RowCursor {
    let completed: CompletedStages
    private let base: any RowCursor
    private let batchSize: @Sendable (Int) -> Int

    init(
        _ base: any RowCursor, _ completed: CompletedStages,
        _ batchSize: @escaping @Sendable (Int) -> Int
    ) {
        self.base = base
        self.completed = completed
        self.batchSize = batchSize
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let size = batchSize(count)
        return size > 0 ? try base.next(atMost: size) : RowBatch()
    }
}

/// An answer that is there as a whole.
final class AnswerCursor: RowCursor {
    let completed: CompletedStages
    private let answer: RowBatch
    private var place = 0

    init(_ answer: RowBatch, _ completed: CompletedStages) {
        self.answer = answer
        self.completed = completed
    }

    func next(atMost count: Int) -> RowBatch? {
        guard place < answer.count else { return nil }
        let end = min(answer.count, place + count)
        defer { place = end }
        return answer.slice(place..<end)
    }
}

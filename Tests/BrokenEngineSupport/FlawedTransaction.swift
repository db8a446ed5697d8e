import CairnConformance
import CairnModel
import CairnStore
import Foundation

/// A save that is sound except for the flaw of its store.
final class FlawedTransaction: SaveTransaction {
    private var base: any SaveTransaction
    private let store: FlawedStore
    private var committed: SaveOutcome?
    private var prepared: SaveRequest?
    private var hasEnded = false

    init(_ base: any SaveTransaction, _ store: FlawedStore) {
        self.base = base
        self.store = store
    }

    private var flaw: Flaw { store.flaw }
    private var answersAnyway: Bool { flaw.saving == .answersAfterItsEnd && hasEnded }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        if answersAnyway { return counts.mapValues { 1..<Int64($0) + 1 } }
        do {
            return try base.reserveKeys(counts).mapValues(flaw.keys)
        } catch {
            if flaw.saving == .skipsKeysOfUnknownEntities { return [:] }
            throw flaw.refused(error)
        }
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        if answersAnyway || flaw.saving == .preparesTwice && prepared != nil { return }
        if flaw.saving == .losesWhatItPrepared, prepared != nil { base.rollback() }
        var request = request
        try flaw.requested(&request, Packing(store: store.base))
        prepared = request
        if let id = request.id, flaw.naming == .recordsAtPrepare {
            store.names.withLock { $0.append(id) }
        }
        // A flaw that records the names itself does not pass them on.
        if [.recordsInAnotherSave, .takesForgottenNames].contains(flaw.naming) { request.id = nil }
        do {
            try base.prepare(request)
        } catch {
            if flaw.saving == .savesHalfOfWhatItRefuses { try saveHalf(request) }
            throw flaw.refused(error)
        }
        if flaw.saving == .commitsAtPrepare { committed = try base.commit() }
        if flaw.metadataDuringSave != .sound {
            store.preparedMetadata.withLock { $0 = request.metadata }
        }
    }

    func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        var request = request
        if flaw.grouping == .savesPartsApart { request.part = nil }
        if flaw.grouping == .losesLaterParts, request.part?.isFirst == false { return RowBatch() }
        do {
            let recomputed = try base.prepareNext(request)
            if flaw.grouping == .commitsEach {
                _ = try base.commit()
                base = try store.base.beginSave()
                _ = try base.prepareNext(SaveRequest())
            }
            return flaw.grouping == .returnsNoComputedRows ? RowBatch() : recomputed
        } catch {
            switch flaw.grouping {
            case .losesTheGroup: base.rollback()
            case .keepsHalfOfWhatItRefuses:
                _ = try base.prepareNext(SaveRequest(inserted: request.inserted))
            case .recordsNamesOfRefused:
                var named = SaveRequest()
                named.id = request.id
                _ = try base.prepareNext(named)
            case .acceptsConflicts: return RowBatch()
            default: break
            }
            throw error
        }
    }

    func discardLast() throws(StoreError) {
        switch flaw.grouping {
        case .discardsNothing: break
        case .discardsAll: base.rollback()
        default: try base.discardLast()
        }
    }

    private func saveHalf(_ request: SaveRequest) throws(StoreError) {
        base.rollback()
        let half = try store.base.beginSave()
        try half.prepare(SaveRequest(inserted: request.inserted))
        _ = try half.commit()
    }

    func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? {
        let members = try base.members(relationship, ofDeleted: owners)
        guard flaw.saving == .forgetsMembersOfDeletedObjects, let members else { return members }
        var none = RelatedIDs()
        for _ in 0..<members.count { none.endOwner() }
        return none
    }

    func commit() throws(StoreError) -> SaveOutcome {
        if let committed { return committed }
        if flaw.grouping == .commitsNothing { return try commitNothing() }
        switch flaw.saving {
        case .commitsUnprepared where prepared == nil: try base.prepare(SaveRequest())
        case .commitsNothing: return try commitNothing()
        case .commitsWithTheNextSave:
            store.delayed.withLock { $0 = prepared }
            return try commitNothing()
        case .answersAfterItsEnd where hasEnded: return try commitNothing()
        default: break
        }
        hasEnded = true
        store.isSaving.withLock { $0 = false }
        store.preparedMetadata.withLock { $0 = nil }
        var outcome: SaveOutcome
        do {
            outcome = try base.commit()
        } catch {
            guard flaw.closing == .acknowledgesSaves, case .closed = error else { throw error }
            return SaveOutcome(generation: StoreGeneration(1))
        }
        store.forgetMetadata()
        if flaw.saving == .removesCompanionFolders, prepared?.deleted.isEmpty == false {
            removeCompanionFolders()
        }
        if let id = prepared?.id { try record(id) }
        if flaw.saving == .hidesSavesOfMetadata, let prepared, !prepared.metadata.isEmpty,
            prepared.inserted.isEmpty, prepared.updated.isEmpty, prepared.deleted.isEmpty
        {
            store.metadataSaveCount.withLock { $0 += 1 }
        }
        outcome.generation = store.generation(outcome.generation)
        outcome.recomputed = flaw.recomputed(outcome.recomputed, prepared ?? SaveRequest())
        return outcome
    }

    private func removeCompanionFolders() {
        guard let engine = flaw.engine as? any FileStore.Type else { return }
        for file in engine.companionFiles(of: store.request.location)
        where file.role == .data && file.url.hasDirectoryPath {
            try? FileManager.default.removeItem(at: file.url)
        }
    }

    private func record(_ id: SaveID) throws(StoreError) {
        store.names.withLock { $0.append(id) }
        guard flaw.naming == .recordsInAnotherSave else { return }
        let save = try store.base.beginSave()
        var request = SaveRequest()
        request.id = id
        try save.prepare(request)
        _ = try save.commit()
    }

    private func commitNothing() throws(StoreError) -> SaveOutcome {
        base.rollback()
        return SaveOutcome(generation: try store.base.snapshot().generation)
    }

    func rollback() {
        hasEnded = true
        store.isSaving.withLock { $0 = false }
        store.preparedMetadata.withLock { $0 = nil }
        if flaw.saving == .commitsAtRollback { _ = try? base.commit() }
        base.rollback()
    }
}

/// A sound save that takes the write lock when it first needs the lock, not at the beginning.
final class LateTransaction: SaveTransaction {
    private let store: any PersistentStore
    private var begun: (any SaveTransaction)?

    init(_ store: any PersistentStore) { self.store = store }

    private func base() throws(StoreError) -> any SaveTransaction {
        if let begun { return begun }
        let save = try store.beginSave()
        begun = save
        return save
    }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] { try base().reserveKeys(counts) }

    func prepare(_ request: SaveRequest) throws(StoreError) { try base().prepare(request) }
    func commit() throws(StoreError) -> SaveOutcome { try base().commit() }
    func rollback() { begun?.rollback() }
}

import CairnModel
import CairnStore
import Foundation
import Synchronization

/// A store that is sound except for its flaw.
final class FlawedStore: SelfCheckingStore {
    static let type: StoreType = "Flawed"
    static let capabilities = StoreCapabilities()

    let base: any PersistentStore
    let flaw: Flaw
    let request: OpenRequest
    /// The snapshot that a flaw shows again.
    private let kept = Mutex<(any StoreSnapshot)?>(nil)
    /// Whether a save of this handle has begun and not ended.
    let isSaving = Mutex(false)
    private let keptMetadata = Mutex<StoreMetadata?>(nil)
    /// The number of saves that changed only metadata.
    let metadataSaveCount = Mutex<UInt64>(0)
    /// The number of saves that this handle has begun.
    let begunCount = Mutex<Int64>(0)
    /// The number of the newest transaction of the history when this handle was opened.
    let firstHistoryNumber: Int64
    /// The locations of the stores that this process has open.
    private static let openLocations = Mutex<[StoreLocation]>([])

    init(_ base: any PersistentStore, _ flaw: Flaw, _ request: OpenRequest) {
        self.base = base
        self.flaw = flaw
        self.request = request
        let newest = try? (base as? any HistoryStore)?.newestHistoryPosition()
        firstHistoryNumber = newest?.number ?? 0
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

    func findUnexplainedValues() throws(StoreError) -> [StoreDisagreement] {
        flaw.findsUnexplainedValues ? [StoreDisagreement(location: "a", detail: "column")] : []
    }

    func metadata() throws(StoreError) -> StoreMetadata {
        if flaw.keepsMetadata, let kept = keptMetadata.withLock({ $0 }) { return kept }
        var metadata = try base.metadata()
        flaw.described(&metadata, request)
        if flaw.naming == .showsNamesInMetadata {
            metadata.values["saves"] = .integer(Int64(names.withLock { $0.count }))
        }
        keptMetadata.withLock { $0 = metadata }
        if let prepared = preparedMetadata.withLock({ $0 }) {
            if flaw.metadataDuringSave == .isRefused {
                throw .locked(request.location, holder: "a save")
            }
            metadata.values.merge(prepared) { _, new in new }
        }
        return metadata
    }

    /// The application values of a prepared save, if a flaw reveals them.
    let preparedMetadata = Mutex<[String: MetadataValue]?>(nil)

    /// The names of saves that the flaw has recorded.
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
        case .takesForgottenNames:
            if names.suffix(1000).contains(id) { return .saved }
            return names.dropLast(1000).contains { $0 >= id } ? .forgotten : .notSaved
        case .callsForgottenNotSaved: return sound == .forgotten ? .notSaved : sound
        }
    }

    var commitsDurably: Bool { base.commitsDurably }

    func synchronize() throws(StoreError) {
        guard flaw.synchronizesBySaving else { return try base.synchronize() }
        let save = try base.beginSave()
        try save.prepare(SaveRequest(metadata: ["synchronised": true]))
        _ = try save.commit()
    }

    func stateToCopy() throws(StoreError) -> (any StateToCopy)? {
        if flaw.copying == .isRefusedDuringSaves, isSaving.withLock({ $0 }) {
            throw .locked(request.location, holder: "a save")
        }
        let save = flaw.copying == .keepsOthersFromSaving ? try base.beginSave() : nil
        return try base.stateToCopy().map { FlawedState($0, self, keeping: save) }
    }

    func forgetMetadata() { keptMetadata.withLock { $0 = nil } }

    /// Returns the generation that the flawed store reports for a generation of the sound store.
    func generation(_ sound: StoreGeneration) -> StoreGeneration {
        let hidden = metadataSaveCount.withLock { $0 }
        return flaw.generation(StoreGeneration(sound.rawValue - hidden))
    }

    /// The snapshot that was taken last.
    private let newest = Mutex<FlawedSnapshot?>(nil)
    /// Earlier states, for an engine that reports changes.
    private let states = Mutex<[StoreGeneration: any StoreSnapshot]>([:])

    /// The number of snapshots that were taken.
    private let snapshotCount = Mutex(0)

    func snapshot() throws(StoreError) -> any StoreSnapshot {
        let sound = try soundSnapshot()
        let count = snapshotCount.withLock { count in
            count += 1
            return count
        }
        if flaw.ending == .givesNothingBack, count > 150 {
            throw .busy(request.location, waited: .zero)
        }
        var later: StoreGeneration?
        if flaw.snapshots == .nameLaterGeneration {
            Thread.sleep(forTimeInterval: 0.001)
            later = try base.snapshot().generation
        }
        let snapshot = FlawedSnapshot(sound, self, laterGeneration: later)
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
        return self.kept.withLock { kept in
            switch flaw.snapshots {
            case .sound, .showTheNewest, .nameLaterGeneration: return newest
            case .showTheFirst: break
            case .showDuringSavesWhatWasReadBefore:
                if !isSaving.withLock({ $0 }) { kept = newest }
            }
            kept = kept ?? newest
            return kept ?? newest
        }
    }

    func beginSave() throws(StoreError) -> any SaveTransaction {
        if flaw.saving == .locksAtPrepare { return LateTransaction(base) }
        begunCount.withLock { $0 += 1 }
        try saveDelayed()
        do {
            let transaction = FlawedTransaction(try base.beginSave(), self)
            isSaving.withLock { $0 = true }
            return transaction
        } catch {
            throw flaw.refused(error)
        }
    }

    func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        let transaction = try beginSave()
        do {
            let keys = counts.isEmpty ? [:] : try transaction.reserveKeys(counts)
            var begun = BegunSave(transaction, keys: keys, generation: try newestGeneration())
            flaw.begun(&begun)
            return begun
        } catch {
            if !flaw.keepsLockWithoutKeys {
                transaction.rollback()
            } else {
                // Leaks the transaction, so that the lock is kept forever, as by a connection that is never
                // closed.
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

    /// A save that was acknowledged but not yet performed.
    let delayed = Mutex<SaveRequest?>(nil)

    private func saveDelayed() throws(StoreError) {
        guard let request = delayed.withLock({ $0.take() }) else { return }
        let save = try base.beginSave()
        try save.prepare(request)
        _ = try save.commit()
    }

    func close() throws(StoreError) {
        kept.withLock { $0 = nil }
        newest.withLock { $0 = nil }
        states.withLock { $0 = [:] }
        Self.openLocations.withLock { open in
            if let index = open.firstIndex(of: request.location) { open.remove(at: index) }
        }
        if flaw.closes { try base.close() }
    }
}

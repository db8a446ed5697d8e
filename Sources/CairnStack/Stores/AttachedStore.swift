import CairnEngineKit
import CairnModel
import CairnSaveJournal
import CairnStore
import Foundation
import Synchronization

/// A store that was added to a coordinator, with the coordinator's state for it.
package final class AttachedStore: Sendable {
    let store: any PersistentStore
    package let number: StoreNumber
    /// The position among the coordinator's stores.
    let position: StorePosition
    /// Distinguishes this opening of the store from earlier ones, whose generations may have equal
    /// numbers.
    let opening = AttachedStore.openings.wrappingAdd(1, ordering: .relaxed).newValue
    private static let openings = Atomic<UInt64>(0)
    let location: StoreLocation
    let isReadOnly: Bool
    let capabilities: StoreCapabilities
    /// An upper-case UUID. Object URIs begin with it, and saves lock stores in the order of their
    /// identifiers.
    let identifier: String
    /// The entities of the store's configuration.
    let entities: Set<EntityNumber>
    /// Those of ``entities`` whose objects cannot be saved, because the store was written before the
    /// entities were added to the model.
    let missingEntities: Set<EntityNumber>
    /// Whether a save may change rows that are not part of it, because they have values derived from
    /// other rows.
    let hasDerivedAttributes: Bool
    /// The rows that were recently read from the store.
    let rowCache: RowCache
    /// Recent snapshots, if the store's snapshots do not block saves.
    let recentSnapshots = RecentSnapshots()
    /// The saves that wait for the store, of which the first may write for the others. `nil` if the
    /// engine does not group saves.
    let waitingSaves: GroupSave.Queue?
    let spareKeys = SpareKeys()
    /// Reports new states of the store. `nil` if this was not requested.
    let watch: StoreWatch?
    /// Those that follow the store's history.
    let followers = Mutex<[FollowerWakeUp]>([])
    let followerCount = Atomic(0)
    /// Finishes interrupted saves to several stores.
    let unfinishedSaves: UnfinishedSaves
    /// Whether the coordinator has replaced the store with another one that has the same objects.
    var isReplaced: Bool { replaced.load(ordering: .acquiring) }
    private let replaced = Atomic(false)
    /// Whether the store has said what changed between two states.
    private let hasToldChanges = Atomic(false)
    /// Says what others have saved. `nil` if the store keeps no history, or if a save may change rows
    /// that its history does not mention.
    let changesFromHistory: ChangesFromHistory?
    /// `nil` if the history has no limits, and if the store is read-only.
    let historyLimits: HistoryLimits?
    let saveCount = Atomic(0)

    /// - Parameters:
    ///   - position: The position among the coordinator's stores.
    ///   - recovery: Finishes interrupted saves to several stores.
    ///   - postsRemoteChanges: Whether new states are reported; see ``StoreWatch``.
    ///   - historyLimits: Which transactions the store keeps.
    init(
        _ opened: OpenedStore, at position: StorePosition, recovery: SaveRecovery,
        postsRemoteChanges: Bool = false, historyLimits: HistoryLimits? = nil
    ) throws(StoreError) {
        let store = opened.store
        self.store = store
        self.position = position
        number = store.number
        location = store.request.location
        isReadOnly = store.request.isReadOnly
        capabilities = type(of: store).capabilities
        identifier = opened.metadata.identifier
        let members = try CompatibilityCheck.entities(of: store.request)
        entities = Set(members.map(\.number))
        missingEntities = Set(opened.lacked(of: members).map(\.number))
        hasDerivedAttributes = members.contains(where: \.hasDerivedAttributes)
        changesFromHistory = hasDerivedAttributes ? nil : ChangesFromHistory(store)
        rowCache = RowCache()
        waitingSaves = capabilities.groupsSaves ? GroupSave.Queue() : nil
        unfinishedSaves = UnfinishedSaves(of: store, recovery: recovery)
        self.historyLimits = store.request.isReadOnly ? nil : historyLimits
        watch = postsRemoteChanges ? StoreWatch(of: store) : nil
    }

    /// Records that the coordinator has replaced the store. It accepts no more saves of the coordinator.
    func noteReplaced() { replaced.store(true, ordering: .releasing) }

    /// Whether the store may contain objects of one of the entities.
    func holds(_ numbers: Range<EntityNumber>) -> Bool {
        (numbers.lowerBound.rawValue..<numbers.upperBound.rawValue).contains {
            entities.contains(EntityNumber($0))
        }
    }

    /// Returns the reason why the store accepts no new objects of an entity, or `nil` if it accepts
    /// them.
    func refusal(of entity: Entity) -> GraphError? {
        if !entities.contains(entity.number) {
            // The configuration is never `nil` here: without one, the store has all entities.
            let configuration = store.request.configuration ?? ""
            return .entityNotTaken(
                entity: entity.name, by: location, reason: .notInConfiguration(configuration))
        }
        if isReadOnly { return .store(.readOnly(location)) }
        guard missingEntities.contains(entity.number) else { return nil }
        return .entityNotTaken(entity: entity.name, by: location, reason: .addedToModelLater)
    }

    /// Returns the newest state of the store, and informs the row cache of it.
    func snapshot() throws(StoreError) -> any StoreSnapshot {
        try StoreDeadline.check()
        var snapshot = try store.snapshot()
        while unfinishedSaves.mayConcernReaders, try unfinishedSaves.finishBeforeReading() {
            snapshot.end()
            snapshot = try store.snapshot()
        }
        note(snapshot)
        return snapshot
    }

    /// Informs the row cache of the newest state. If the state is newer than the last known one, the
    /// cache is emptied, unless the engine can tell what changed.
    private func note(_ snapshot: any StoreSnapshot) {
        switch rowCache.note(snapshot.generation) {
        case .known: break
        case .newer: recentSnapshots.forgetAll()
        case .unexplained(let known):
            // If the store cannot answer, the changes are unknown.
            let told = (try? snapshot.changes(since: known)).map {
                $0.inserted + $0.updated + $0.deleted
            }
            if told != nil { hasToldChanges.store(true, ordering: .relaxed) }
            let changes = (told ?? changesFromHistory?.ids(changedSince: known)).map {
                RowCache.Changes(since: known, ids: $0)
            }
            if rowCache.noteGeneration(snapshot.generation, changes) { recentSnapshots.forgetAll() }
        }
    }

    /// Returns the generation of the newest state of the store, and informs the row cache of it.
    func newestGeneration() throws(StoreError) -> StoreGeneration {
        let generation = try store.newestGeneration()
        if case .unexplained = noteGeneration(generation) { try explainChanges(until: generation) }
        return generation
    }

    /// Returns a reader for a state of the store. It reads in calls of the size that the engine prefers.
    func reading(_ snapshot: any StoreSnapshot) -> StoreReading {
        StoreReading(snapshot: snapshot, rowCache: rowCache)
    }

    /// Informs the row cache of the newest state, unless the cache has rows of an older one.
    @discardableResult
    func noteGeneration(_ generation: StoreGeneration) -> RowCache.Noted {
        let noted = rowCache.note(generation)
        if case .newer = noted { recentSnapshots.forgetAll() }
        return noted
    }

    /// Informs the row cache, which has rows of an older state, of the newest one. Only a snapshot can tell
    /// what changed, and is taken only if the store has told changes before: most engines cannot.
    ///
    /// Interrupted saves are not finished here, because this takes the store's lock, which the caller may
    /// already hold.
    ///
    /// - Throws: The errors of `PersistentStore.snapshot`.
    func explainChanges(until generation: StoreGeneration) throws(StoreError) {
        guard hasToldChanges.load(ordering: .relaxed) || changesFromHistory != nil else {
            if rowCache.noteGeneration(generation) { recentSnapshots.forgetAll() }
            return
        }
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        note(snapshot)
    }

    /// Calls a closure with a state of the store.
    ///
    /// - Parameter isNewest: Whether the state must be the newest one. Otherwise, it is the newest known
    ///   state, which may lack the most recent saves of others.
    /// - Throws: The errors of taking a snapshot, and the error that `body` throws.
    func read<Result>(
        isNewest: Bool, _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try StoreDeadline.check()
        guard capabilities.readsDuringSave, !isNewest else {
            let snapshot = try snapshot()
            defer { snapshot.end() }
            return try body(snapshot)
        }
        return try recentSnapshots.read(
            orTake: snapshot, keepingIf: { rowCache.isNewest($0.generation) }, body)
    }

    /// Begins a transaction that saves nothing and blocks the saves of others until it is rolled back.
    /// Returns `nil` if the store is read-only.
    ///
    /// - Throws: `.savePending`; the errors of beginning a save.
    func keepOthersFromSaving() throws(StoreError) -> (any SaveTransaction)? {
        let transaction = isReadOnly ? nil : try store.beginSave()
        do {
            try transaction?.keepOthersWaiting()
            try location.requireNoPendingSave()
        } catch {
            transaction?.rollback()
            throw error
        }
        return transaction
    }
}

extension PersistentStore {
    /// The URL of the store's file. `nil` if the store is in memory or belongs to a service.
    public var url: URL? { request.location.fileURL }
    /// The name of the configuration whose entities the store holds. `nil` means all entities.
    public var configurationName: String? { request.configuration }
    /// Whether saves to the store are refused.
    public var isReadOnly: Bool { request.isReadOnly }
}

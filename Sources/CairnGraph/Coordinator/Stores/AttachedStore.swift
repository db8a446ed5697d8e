import CairnModel
import CairnSaveJournal
import CairnStore
import Foundation
import Synchronization

/// A store that was added to a coordinator, and the coordinator's knowledge about it.
final class AttachedStore: Sendable {
    let store: any PersistentStore
    let number: StoreNumber
    /// Tells this opening of the store apart from earlier ones, whose generations may have the same
    /// numbers.
    let opening = AttachedStore.openings.wrappingAdd(1, ordering: .relaxed).newValue
    private static let openings = Atomic<UInt64>(0)
    let location: StoreLocation
    let isReadOnly: Bool
    let capabilities: StoreCapabilities
    /// An upper-case UUID. URIs begin with it, and saves lock stores in its order.
    let identifier: String
    /// The entities of the store's configuration.
    let entities: Set<EntityNumber>
    /// The entities among ``entities`` of which the store accepts no objects, because it was written
    /// before the model had them.
    let lackedEntities: Set<EntityNumber>
    /// Whether a save may change rows that are not in it, because values are derived from other rows.
    let hasDerivedAttributes: Bool
    /// The rows that were recently read from the store.
    let rowCache: RowCache
    /// Recent snapshots, if the store's snapshots do not keep others from saving.
    let recentSnapshots = RecentSnapshots()
    /// Reports new states of the store. `nil` if this was not requested.
    let watch: StoreWatch?
    /// Finishes interrupted saves over several stores.
    let unfinishedSaves: UnfinishedSaves

    /// - Parameters:
    ///   - recovery: finishes interrupted saves over several stores.
    ///   - postsRemoteChanges: whether new states are reported; see ``StoreWatch``.
    init(
        _ opened: OpenedStore, recovery: SaveRecovery, postsRemoteChanges: Bool = false
    ) throws(StoreError) {
        let store = opened.store
        self.store = store
        number = store.number
        location = store.request.location
        isReadOnly = store.request.isReadOnly
        capabilities = type(of: store).capabilities
        identifier = opened.metadata.identifier
        let members = try CompatibilityCheck.entities(of: store.request)
        entities = Set(members.map(\.number))
        lackedEntities = Set(opened.lacked(of: members).map(\.number))
        hasDerivedAttributes = members.contains(where: \.hasDerivedAttributes)
        rowCache = RowCache()
        unfinishedSaves = UnfinishedSaves(of: store, recovery: recovery)
        watch = postsRemoteChanges ? StoreWatch(of: store) : nil
    }

    /// Whether the store may hold objects of one of the entities.
    func holds(_ numbers: Range<EntityNumber>) -> Bool {
        (numbers.lowerBound.rawValue..<numbers.upperBound.rawValue).contains {
            entities.contains(EntityNumber($0))
        }
    }

    /// Returns why the store accepts no new objects of an entity, or `nil` if it accepts them.
    func refusal(of entity: Entity) -> GraphError? {
        if !entities.contains(entity.number) {
            // Without a configuration the store has all entities.
            let configuration = store.request.configuration ?? ""
            return .entityNotTaken(
                entity: entity.name, by: location, reason: .notInConfiguration(configuration))
        }
        if isReadOnly { return .store(.readOnly(location)) }
        guard lackedEntities.contains(entity.number) else { return nil }
        return .entityNotTaken(entity: entity.name, by: location, reason: .addedToModelLater)
    }

    /// Returns the newest state of the store, and tells the row cache about it.
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

    /// Tells the row cache about the newest state. If it is newer than the last known state, the cache
    /// is emptied, unless the engine can tell what changed.
    private func note(_ snapshot: any StoreSnapshot) {
        let generation = snapshot.generation
        var changes: RowCache.Changes?
        if let known = rowCache.newestGeneration(before: generation) {
            // If the store fails to answer, the changes are not known.
            changes = (try? snapshot.changes(since: known)).map {
                RowCache.Changes(since: known, ids: $0.inserted + $0.updated + $0.deleted)
            }
        }
        if rowCache.noteGeneration(generation, changes) { recentSnapshots.forgetAll() }
    }

    /// Returns the generation of the newest state of the store, and tells the row cache.
    func newestGeneration() throws(StoreError) -> StoreGeneration {
        let generation = try store.newestGeneration()
        try noteGeneration(generation)
        return generation
    }

    /// Returns a reader for a state of the store. It reads in calls of the size that the engine
    /// prefers.
    func reading(_ snapshot: any StoreSnapshot) -> StoreReading {
        StoreReading(snapshot: snapshot, rowCache: rowCache)
    }

    /// Tells the row cache which state of the store is the newest.
    ///
    /// - Throws: as ``snapshot()``.
    func noteGeneration(_ generation: StoreGeneration) throws(StoreError) {
        guard rowCache.newestGeneration(before: generation) != nil else {
            if rowCache.noteGeneration(generation) { recentSnapshots.forgetAll() }
            return
        }
        // Only a snapshot can tell what changed. Interrupted saves are not finished here, because the
        // caller may hold the store's lock, which finishing a save takes.
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        note(snapshot)
    }

    /// Calls the body with a state of the store.
    ///
    /// - Parameter isNewest: whether the state must be the newest. Otherwise, it is the newest known
    ///   state, and the most recent saves of others may be missing.
    /// - Throws: the errors of taking a snapshot, and those of the body.
    func read<Result>(
        isNewest: Bool, _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try StoreDeadline.check()
        guard capabilities.readsDuringSave, !isNewest else {
            let snapshot = try snapshot()
            defer { snapshot.end() }
            return try body(snapshot)
        }
        return try recentSnapshots.read(orTake: snapshot, body)
    }

    /// Begins a transaction that saves nothing, and keeps others from saving until it is rolled back.
    /// Returns `nil` if the store is read-only.
    ///
    /// - Throws: `.savePending`; what beginning a save throws.
    func keepOthersFromSaving() throws(StoreError) -> (any SaveTransaction)? {
        let transaction = isReadOnly ? nil : try store.beginSave()
        do throws(StoreError) {
            try location.requireNoPendingSave()
        } catch {
            transaction?.rollback()
            throw error
        }
        return transaction
    }
}

extension PersistentStore {
    /// Where the store's file is. `nil` for a store in memory or of a service.
    public var url: URL? { request.location.fileURL }
    /// The name of the configuration whose entities the store holds. `nil` means all entities.
    public var configurationName: String? { request.configuration }
    /// Whether saves to the store are refused.
    public var isReadOnly: Bool { request.isReadOnly }
}

import CairnModel
import CairnSaveJournal
import CairnStore
import Foundation
import Synchronization

/// A store that was added to a coordinator, and what the coordinator knows of it.
final class AttachedStore: Sendable {
    let store: any PersistentStore
    let number: StoreNumber
    /// Tells this opening of the store from earlier ones, whose generations may count from the same number.
    let opening = AttachedStore.openings.wrappingAdd(1, ordering: .relaxed).newValue
    private static let openings = Atomic<UInt64>(0)
    let location: StoreLocation
    let isReadOnly: Bool
    let capabilities: StoreCapabilities
    /// Upper-case UUID: URIs begin with it, and saves lock stores in its order.
    let identifier: String
    /// The entities of the store's configuration.
    let entities: Set<EntityNumber>
    /// Those of ``entities`` that the store takes no objects of, because it was written before the model
    /// had them.
    let lackedEntities: Set<EntityNumber>
    /// Whether a save may change more rows than it has: those with values derived from others.
    let hasDerivedAttributes: Bool
    /// The rows that were read from the store of late.
    let rowCache: RowCache
    /// Of a store whose snapshots keep no one from saving.
    let recentSnapshots = RecentSnapshots()
    /// Reports new states of the store. `nil` if nobody asked for that.
    let watch: StoreWatch?
    /// Finishes saves over several stores that were interrupted.
    let unfinishedSaves: UnfinishedSaves

    /// - Parameters:
    ///   - recovery: finishes saves over several stores that were interrupted.
    ///   - postsRemoteChanges: whether new states are reported; see ``StoreWatch``.
    init(
        _ opened: OpenedStore, recovery: SaveRecovery, postsRemoteChanges: Bool = false
    ) throws(GraphError) {
        let store = opened.store
        self.store = store
        number = store.number
        location = store.request.location
        isReadOnly = store.request.isReadOnly
        capabilities = type(of: store).capabilities
        identifier = opened.metadata.identifier
        let members = try GraphError.translating { () throws(ModelError) in
            try store.request.model.entities(forConfiguration: store.request.configuration)
        }
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

    /// Returns why the store takes no new objects of an entity. Returns `nil` if it takes them.
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

    /// Returns the newest state of the store, and tells the row cache which one that is.
    func snapshot() throws(StoreError) -> any StoreSnapshot {
        try StoreDeadline.check()
        var snapshot = try store.snapshot()
        while try unfinishedSaves.finishBeforeReading() {
            snapshot.end()
            snapshot = try store.snapshot()
        }
        note(snapshot)
        return snapshot
    }

    /// Tells the row cache of the newest state: a newer one than known empties it, unless the engine
    /// can say what changed.
    private func note(_ snapshot: any StoreSnapshot) {
        let generation = snapshot.generation
        var changes: RowCache.Changes?
        if let known = rowCache.newestGeneration(before: generation) {
            // A store that fails to answer cannot tell.
            changes = (try? snapshot.changes(since: known)).map {
                RowCache.Changes(since: known, ids: $0.inserted + $0.updated + $0.deleted)
            }
        }
        if rowCache.noteGeneration(generation, changes) { recentSnapshots.forgetAll() }
    }

    /// Returns which state of the store is the newest, and tells the row cache.
    func newestGeneration() throws(StoreError) -> StoreGeneration {
        let generation = try store.newestGeneration()
        try noteGeneration(generation)
        return generation
    }

    /// Asks a state of the store, in calls of the size that its engine prefers.
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
        // Only a snapshot can say what changed. Unfinished saves are left: who asks may hold the store's
        // lock, which finishing a save takes.
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        note(snapshot)
    }

    /// Calls the body with the newest state of the store that is known: of what others saved, a
    /// moment may be missing.
    ///
    /// - Throws: what taking a snapshot throws, and what the body throws.
    func read<Result>(
        _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try StoreDeadline.check()
        guard capabilities.readsDuringSave else {
            let snapshot = try snapshot()
            defer { snapshot.end() }
            return try body(snapshot)
        }
        return try recentSnapshots.read(orTake: snapshot, body)
    }
}

extension PersistentStore {
    /// Where the store's file is. `nil` for a store in memory or of a service.
    public var url: URL? { request.location.fileURL }
    /// The configuration whose entities the store holds; nil: all.
    public var configurationName: String? { request.configuration }
    /// Whether saves to the store are refused.
    public var isReadOnly: Bool { request.isReadOnly }
}

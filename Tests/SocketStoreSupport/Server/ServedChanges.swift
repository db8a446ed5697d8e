import CairnModel
import CairnStore
import Synchronization

/// Which objects the newest saves of all clients changed, by store.
///
/// A save by a program that opens the server's files itself leaves a gap, and what lies before a gap
/// cannot be told.
final class ServedChanges: Sendable {
    /// How many saves of a store are remembered.
    private static let mostSaves = 256
    /// How many changed objects of one save are remembered: what follows a larger one can be told.
    private static let mostObjects = 10_000

    private struct Save {
        /// The state that the save was made on.
        let before: StoreGeneration
        let after: StoreGeneration
        let changes: StoreChanges
        /// Which model numbers the entities of the objects.
        let model: UInt64
    }

    /// The newest saves by the identifier of the store, each behind the one before it.
    private let saves = Mutex<[String: [Save]]>([:])

    /// Notes a save that was committed.
    func note(
        _ changes: StoreChanges, from before: StoreGeneration, to after: StoreGeneration,
        in store: OpenedStore
    ) {
        if before == after { return }
        saves.withLock { saves in
            var known = saves[store.identifier] ?? []
            let isComplete = known.last.map { $0.after == before } ?? true
            if !isComplete || changes.count > Self.mostObjects { known = [] }
            if changes.count <= Self.mostObjects {
                let model = store.store.request.layouts.fingerprint
                known.append(Save(before: before, after: after, changes: changes, model: model))
            }
            saves[store.identifier] = known.suffix(Self.mostSaves)
        }
    }

    /// Returns which objects differ between two states, or `nil` if a save between them is not known.
    func changes(
        from earlier: StoreGeneration, to later: StoreGeneration, in store: OpenedStore
    ) -> StoreChanges? {
        if earlier == later { return StoreChanges() }
        let known = saves.withLock { $0[store.identifier] ?? [] }
        let model = store.store.request.layouts.fingerprint
        guard let first = known.firstIndex(where: { $0.before == earlier }),
            let last = known.firstIndex(where: { $0.after == later }), first <= last,
            known[first...last].allSatisfy({ $0.model == model })
        else { return nil }
        return known[first...last].reduce(into: StoreChanges()) { $0.follow($1.changes) }
    }
}

extension StoreChanges {
    /// What a request changes, with the objects whose values the engine computed.
    init(_ request: SaveRequest, recomputed: RowBatch) {
        let inserted = request.inserted.ids
        let named = Set(inserted)
        self.init(
            inserted: inserted,
            updated: request.updated.map(\.row.id)
                + recomputed.ids.filter { !named.contains($0) },
            deleted: request.deleted.map(\.id))
    }

    var count: Int { inserted.count + updated.count + deleted.count }

    /// Adds what a later save changed.
    fileprivate mutating func follow(_ later: StoreChanges) {
        let deleted = Set(later.deleted)
        // An object that came and went is in neither state.
        let passing = deleted.intersection(inserted)
        inserted = inserted.filter { !deleted.contains($0) } + later.inserted
        updated = updated.filter { !deleted.contains($0) } + later.updated
        self.deleted += later.deleted.filter { !passing.contains($0) }
    }
}

import CairnModel
import CairnRows
import CairnStore
import Synchronization

/// The objects that the most recent saves of all clients changed, by store.
///
/// A save by a program that opens the server's files itself leaves a gap. Changes since a state before a gap
/// cannot be reported.
final class ServedChanges: Sendable {
    /// The number of saves of a store that are remembered.
    private static let mostSaves = 256
    /// The number of changed objects of one save that are remembered. After a larger save, only later changes
    /// can be reported.
    private static let mostObjects = 10_000

    private struct Save {
        /// The state on which the save is based.
        let before: StoreGeneration
        let after: StoreGeneration
        let changes: StoreChanges
        /// Identifies the model that numbers the objects' entities.
        let model: UInt64
    }

    /// The most recent saves in order, by the identifier of the store.
    private let saves = Mutex<[String: [Save]]>([:])

    /// Records a committed save.
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

    /// Returns the objects that differ between two states, or `nil` if a save between them is not known.
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
    /// Creates the changes of a request, including the objects whose values the engine computed.
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

    /// Adds the changes of a later save.
    fileprivate mutating func follow(_ later: StoreChanges) {
        let deleted = Set(later.deleted)
        // An object that was inserted and then deleted is in neither state.
        let passing = deleted.intersection(inserted)
        inserted = inserted.filter { !deleted.contains($0) } + later.inserted
        updated = updated.filter { !deleted.contains($0) } + later.updated
        self.deleted += later.deleted.filter { !passing.contains($0) }
    }
}

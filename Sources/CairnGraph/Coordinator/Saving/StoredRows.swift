import CairnModel
import CairnStore

/// The rows of a store as they are before and after a prepared save. A row that the row cache does not
/// contain is read from a snapshot, which is taken only if it is needed.
final class StoredRows {
    private let attached: AttachedStore
    private let request: SaveRequest
    /// Whether the row cache is known to show the state that the save changes.
    private let cacheIsNewest: Bool
    private var snapshot: (any StoreSnapshot)?
    /// What was read. `nil` means that the store has no such row.
    private var known: [ObjectID: Row?] = [:]

    /// The objects that the save deletes.
    private(set) lazy var deleted = Set(request.deleted.map(\.id))
    private lazy var updated = Dictionary(
        request.updated.map { ($0.row.id, $0.row) }, uniquingKeysWith: { first, _ in first })
    private lazy var inserted = Dictionary(
        request.inserted.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    init(_ save: StoreSave) {
        attached = save.attached
        request = save.request
        cacheIsNewest = save.cacheIsNewest
    }

    var store: StoreNumber { attached.number }

    /// Ends the snapshot.
    func end() {
        snapshot?.end()
        snapshot = nil
    }

    func isUpdated(_ id: ObjectID) -> Bool { updated[id] != nil }

    /// Returns the row that an object has after the save, or `nil` if it has none.
    func row(of id: ObjectID) throws(StoreError) -> Row? {
        if deleted.contains(id) { return nil }
        if let row = updated[id] { return row }
        if let row = try formerRow(of: id) { return row }
        return inserted[id]
    }

    /// Returns the row that an object has before the save, or `nil` if it has none.
    func formerRow(of id: ObjectID) throws(StoreError) -> Row? {
        if let row = cached(id) { return row }
        if known[id] == nil { try readFormer([id]) }
        return known[id] ?? nil
    }

    /// Returns those of the objects that are not in the store, and that the save does not insert.
    func missing(of ids: Set<ObjectID>) throws(StoreError) -> Set<ObjectID> {
        guard !ids.isEmpty else { return [] }
        let ids = deleted.isEmpty ? Array(ids) : ids.filter { !deleted.contains($0) }
        var unknown = cacheIsNewest ? attached.rowCache.rows(for: ids).missing : ids
        if !unknown.isEmpty, !request.inserted.isEmpty {
            let new = Set(request.inserted.ids)
            unknown.removeAll(where: new.contains)
        }
        try readFromStore(unknown)
        return Set(unknown.filter { (known[$0] ?? nil) == nil })
    }

    /// Reads the rows of objects whose rows after the save are asked for, in one call.
    func read(_ ids: [ObjectID]) throws(StoreError) {
        var seen: Set<ObjectID> = []
        let wanted = ids.filter {
            seen.insert($0).inserted && !deleted.contains($0) && updated[$0] == nil
        }
        let (_, missing) = cacheIsNewest ? attached.rowCache.rows(for: wanted) : ([], wanted)
        // A new object is not in the store.
        let unknown = missing.isEmpty ? [] : missing.filter { inserted[$0] == nil }
        for id in missing where inserted[id] != nil { known[id] = .some(nil) }
        try readFromStore(unknown)
    }

    /// Reads the rows that objects have before the save, in one call.
    func readFormer(_ ids: [ObjectID]) throws(StoreError) {
        let (_, missing) = cacheIsNewest ? attached.rowCache.rows(for: ids) : ([], ids)
        try readFromStore(missing)
    }

    /// Returns the members that the questions ask for, before the save.
    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> [RelatedIDs] {
        try attached.reading(try newest()).related(questions).members
    }

    private func cached(_ id: ObjectID) -> Row? {
        cacheIsNewest ? attached.rowCache.row(for: id) : nil
    }

    private func readFromStore(_ ids: [ObjectID]) throws(StoreError) {
        let unknown = ids.filter { known[$0] == nil }
        guard !unknown.isEmpty else { return }
        for id in unknown { known[id] = .some(nil) }
        for row in try attached.reading(try newest()).rows(for: unknown).rows {
            known[row.id] = row
        }
    }

    private func newest() throws(StoreError) -> any StoreSnapshot {
        if let snapshot { return snapshot }
        let new = try attached.store.snapshot()
        snapshot = new
        return new
    }
}

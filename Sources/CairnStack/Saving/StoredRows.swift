import CairnModel
import CairnRows
import CairnStore

/// The rows of a store as they are before and after a prepared save. A row that the row cache does not
/// contain is read from a snapshot, which is taken only if it is needed.
final class StoredRows {
    /// What the save changes.
    let request: SaveRequest
    private let attached: AttachedStore
    /// The transaction in which the request is prepared, or `nil` if it is not.
    private let prepared: (any SaveTransaction)?
    /// Whether the row cache is known to show the state that the save changes, apart from earlier
    /// saves of the same transaction.
    private let cacheIsNewest: Bool
    private var snapshot: (any StoreSnapshot)?
    /// The rows that earlier saves of the same transaction have left, and what was read. `nil` means
    /// that the store has no such row.
    private var known: [ObjectID: Row?]
    private let followsOthers: Bool
    /// Whether members of relationships were read that other requests of the same transaction may have
    /// changed.
    private(set) var hasReadOldMembers = false

    /// The objects that the save deletes.
    private(set) lazy var deleted = IDTable(request.deleted.lazy.map(\.id))
    /// The indices of the rows that the save updates and inserts.
    private lazy var updated = Self.indices(of: request.updated.lazy.map(\.row.id))
    private lazy var inserted = Self.indices(of: request.inserted.ids)

    /// - Parameters:
    ///   - save: The save that has begun, whose transaction may contain several requests.
    ///   - earlier: The rows that the requests before this one have left, or `nil` for each object that
    ///     they have deleted.
    ///   - isPart: Whether the request is a part of the save.
    init(
        _ request: SaveRequest, in save: StoreSave, prepared: (any SaveTransaction)?,
        after earlier: [ObjectID: Row?] = [:], isPart: Bool = false
    ) {
        self.request = request
        self.prepared = prepared
        attached = save.attached
        cacheIsNewest = save.cacheIsNewest
        known = earlier
        followsOthers = !earlier.isEmpty || isPart
    }

    private static func indices(of ids: some Collection<ObjectID>) -> IDTable {
        var table = IDTable(minimumCapacity: ids.count)
        for (index, id) in ids.enumerated() { table.insert(id, index) }
        return table
    }

    var store: StoreNumber { attached.number }

    /// Ends the snapshot.
    func end() {
        snapshot?.end()
        snapshot = nil
    }

    func isUpdated(_ id: ObjectID) -> Bool { updated.contains(id) }

    /// Returns the row that an object has after the save, or `nil` if it has none.
    func row(of id: ObjectID) throws(StoreError) -> Row? {
        if deleted.contains(id) { return nil }
        if let index = updated[id] { return request.updated[index].row }
        if let row = try formerRow(of: id) { return row }
        return inserted[id].map { request.inserted[row: $0] }
    }

    /// Returns the row that an object has before the save, or `nil` if it has none.
    func formerRow(of id: ObjectID) throws(StoreError) -> Row? {
        if let row = known[id] { return row }
        if cacheIsNewest, let row = attached.rowCache.row(for: id) { return row }
        try readFormer([id])
        return known[id] ?? nil
    }

    /// Returns those of the objects that are not in the store, and that the save neither inserts nor deletes.
    func missing(of ids: [ObjectID]) throws(StoreError) -> [ObjectID] {
        let unknown = uncached(ids).filter { !deleted.contains($0) && !inserted.contains($0) }
        if unknown.isEmpty { return [] }
        try readFromStore(unknown)
        return unknown.filter { (known[$0] ?? nil) == nil }
    }

    /// Reads the rows of objects whose rows after the save are asked for, in one call.
    func read(_ ids: [ObjectID]) throws(StoreError) {
        let unknown = uncached(ids.filter { !deleted.contains($0) && !updated.contains($0) })
        // A new object is not in the store.
        for id in unknown where inserted.contains(id) { known[id] = .some(nil) }
        try readFromStore(unknown)
    }

    /// Reads the rows that objects have before the save, in one call.
    func readFormer(_ ids: [ObjectID]) throws(StoreError) { try readFromStore(uncached(ids)) }

    /// Returns the members that the questions ask for, before the save.
    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> [RelatedIDs] {
        hasReadOldMembers = followsOthers
        return try attached.reading(try newest()).related(questions).members
    }

    /// Returns the members that the questions ask for: after the save if the store can read what it has
    /// prepared, and otherwise before the save.
    func remaining(_ questions: [RelatedQuestion]) throws(StoreError) -> [RelatedIDs] {
        var answers: [RelatedIDs] = []
        for question in questions {
            guard
                let answer = try prepared?.members(
                    question.relationship, ofDeleted: question.owners)
            else { return try related(questions) }
            answers.append(answer)
        }
        return answers
    }

    /// Returns the IDs whose rows must be read from the store, and those that are known to have other
    /// rows than the row cache.
    private func uncached(_ ids: [ObjectID]) -> [ObjectID] {
        guard cacheIsNewest else { return ids }
        guard followsOthers else { return attached.rowCache.missing(of: ids) }
        return ids.filter { known[$0] != nil }
            + attached.rowCache.missing(of: ids.filter { known[$0] == nil })
    }

    private func readFromStore(_ ids: [ObjectID]) throws(StoreError) {
        var unknown: [ObjectID] = []
        for id in ids where known[id] == nil {
            unknown.append(id)
            known[id] = .some(nil)
        }
        guard !unknown.isEmpty else { return }
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

import CairnModel
import CairnRows
import CairnSaveJournal
import CairnStore

/// The content of a batch: changes that no context holds, as packed rows with permanent IDs.
///
/// A small batch is in memory. The parts of a larger one are in a file, and only the newest part is in memory.
package final class BatchContent: ChangedObjects {
    /// The number of objects in a part. Less in tests.
    @TaskLocal package static var partCount = 131_072
    /// The number of bytes of rows after which a part is complete.
    private static let partByteCount = 16 << 20
    /// About what a deletion costs, in bytes of rows.
    private static let deletionByteCount = 64

    /// The changes of the part in memory. All changes, if there is no other part.
    package private(set) var changes = ChangeSet()
    /// The rows of the new and the changed objects, in the order of ``changes``.
    private var inserted: [Row] = []
    private var updated: [Row] = []
    /// Where the next row is looked for first. Each store asks for its rows in the order of the changes, so the next
    /// row is nearly always there.
    private var next = 0

    private let layouts: RowLayouts
    private let keepsIDs: Bool
    private let partCount = BatchContent.partCount
    private var byteCount = 0
    private var spool: RequestSpool?
    private var spooledCounts = ChangeSet.Counts()
    /// The IDs in the parts before, if they are kept.
    private var spooled = (inserted: [ObjectID](), updated: [ObjectID](), deleted: [ObjectID]())
    /// The entities of the objects that the batch deletes.
    private(set) var deletedEntities: Set<EntityNumber> = []
    /// Whether unique values that are there already are resolved rather than reported.
    package var resolvesConflicts = false
    package var author: String?
    package var contextName: String?

    /// - Parameter keepsIDs: Whether the IDs of all objects are asked for.
    package init(_ layouts: RowLayouts, keepsIDs: Bool = false) {
        self.layouts = layouts
        self.keepsIDs = keepsIDs
    }

    package func insert(_ rows: RowBatch) throws(GraphError) {
        for row in rows.rows {
            inserted.append(row)
            changes.inserted.append(row.id)
            byteCount += row.byteCount
        }
        try endPart()
    }

    /// - Parameter row: A row whose version is one greater than that of the stored row.
    package func update(_ row: Row, _ slots: SlotSet) throws(GraphError) {
        note(row, slots)
        byteCount += row.byteCount
        try endPart()
    }

    private func note(_ row: Row, _ slots: SlotSet) {
        updated.append(row)
        changes.updated.append(
            ChangeSet.Update(
                id: row.id, previousVersion: row.version &- 1, changedSlots: slots))
    }

    package func delete(_ id: ObjectID, version: Int64) throws(GraphError) {
        changes.deleted.append(RowDeletion(id: id, previousVersion: version))
        deletedEntities.insert(id.entity)
        byteCount += Self.deletionByteCount
        try endPart()
    }

    package func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        guard let row = row(of: id) else { throw .objectGone(id, .notInStore) }
        writer.append(copyOf: row)
    }

    private func row(of id: ObjectID) -> Row? {
        let count = inserted.count + updated.count
        for step in 0..<count {
            let index = (next + step) % count
            let row =
                index < inserted.count ? inserted[index] : updated[index - inserted.count]
            if row.id == id {
                next = index + 1
                return row
            }
        }
        return nil
    }

    // MARK: What changes

    /// How many objects the batch inserts, changes and deletes.
    package var counts: ChangeSet.Counts { spooledCounts + changes.counts }

    package var insertedIDs: [ObjectID] { spooled.inserted + changes.inserted }
    package var updatedIDs: [ObjectID] { spooled.updated + changes.updated.map(\.id) }
    package var deletedIDs: [ObjectID] { spooled.deleted + changes.deleted.map(\.id) }

    // MARK: Parts

    /// The requests of the batch if it is too large for one request. `nil` if all of it is in memory.
    ///
    /// - Throws: `.store(.fileFailure)`.
    func parts() throws(GraphError) -> RequestSpool? {
        do throws(StoreError) {
            if let spool, !changes.isEmpty { try append(to: spool) }
        } catch {
            throw GraphError(ofSave: error)
        }
        return spool
    }

    private func endPart() throws(GraphError) {
        guard changes.objectCount >= partCount || byteCount >= Self.partByteCount else { return }
        do throws(StoreError) {
            let spool = if let spool { spool } else { try RequestSpool(layouts) }
            self.spool = spool
            try append(to: spool)
        } catch {
            throw GraphError(ofSave: error)
        }
    }

    private func append(to spool: RequestSpool) throws(StoreError) {
        var requests: [StoreNumber: SaveRequest] = [:]
        for (store, rows) in Dictionary(grouping: inserted, by: \.id.store) {
            requests[store, default: SaveRequest()].inserted = RowBatch(rows)
        }
        for (row, update) in zip(updated, changes.updated) {
            requests[row.id.store, default: SaveRequest()].updated.append(
                RowUpdate(
                    row: row, previousVersion: update.previousVersion,
                    changedSlots: update.changedSlots))
        }
        for it in changes.deleted {
            requests[it.id.store, default: SaveRequest()].deleted.append(it)
        }
        for (store, request) in requests.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try spool.append(request, of: store)
        }
        spooledCounts = counts
        if keepsIDs {
            spooled.inserted += changes.inserted
            spooled.updated += changes.updated.lazy.map(\.id)
            spooled.deleted += changes.deleted.lazy.map(\.id)
        }
        (changes, inserted, updated, byteCount, next) = (ChangeSet(), [], [], 0, 0)
    }

    /// Reads all parts into memory, because they must be saved by one request.
    func load() throws(GraphError) {
        defer { (changes.author, changes.contextName) = (author, contextName) }
        guard let spool = try parts() else { return }
        self.spool = nil
        (spooledCounts, spooled) = (ChangeSet.Counts(), ([], [], []))
        for index in 0..<spool.count {
            let request: SaveRequest
            do {
                request = try spool.request(at: index)
            } catch {
                throw GraphError(ofSave: error)
            }
            for row in request.inserted.rows {
                inserted.append(row)
                changes.inserted.append(row.id)
            }
            for update in request.updated { note(update.row, update.changedSlots) }
            changes.deleted += request.deleted
        }
    }
}

// MARK: - Unique values

/// Which of two objects with the same unique values a batch insertion keeps.
package enum UpsertRule: Sendable {
    /// The one that is there already, or else the first new one.
    case existing
    /// The one that is there already, with the values of the last new one that are set.
    case existingWithSetValues
    /// The one that is there already, with all values of the last new one.
    case existingWithAllValues
}

extension BatchContent {
    /// Resolves conflicts of new objects: they are left out, or become changes of stored objects.
    ///
    /// - Throws: `.uniquenessConflicts` with the conflicts that are not between new objects, or a new and a stored
    ///   object of one entity; `.unsupportedValue` as for any row.
    package func resolve(
        _ conflicts: [UniquenessConflict], by rule: UpsertRule
    ) throws(GraphError) {
        try load()
        let rows = Dictionary(
            inserted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var updated = Set(changes.updated.map(\.id))
        var dropped: Set<ObjectID> = []
        for conflict in conflicts {
            let candidates = conflict.requested.filter { !dropped.contains($0) }
            guard candidates.allSatisfy({ rows[$0] != nil }) else {
                throw .store(.uniquenessConflicts([conflict]))
            }
            if case .existing = rule {
                dropped.formUnion(candidates.dropFirst(conflict.stored == nil ? 1 : 0))
                continue
            }
            guard let last = candidates.last, let row = rows[last] else { continue }
            dropped.formUnion(candidates.dropLast())
            guard let stored = conflict.stored else { continue }
            dropped.insert(last)
            guard stored.entity == row.entity, let layout = layouts.layout(of: row.entity),
                !updated.contains(stored.id)
            else { throw .store(.uniquenessConflicts([conflict])) }
            let merged = try Self.merged(row, into: stored, layout, rule)
            let changed = layout.slots.filter { slot in
                if case .attribute(let attribute) = layout.property(at: slot), attribute.isDerived {
                    return false
                }
                return merged.value(slot) != stored.value(slot)
            }
            if changed.isEmpty { continue }
            note(merged, SlotSet(changed.map { Int($0.index) }))
            updated.insert(stored.id)
        }
        inserted.removeAll { dropped.contains($0.id) }
        changes.inserted.removeAll { dropped.contains($0) }
        next = 0
    }

    private static func merged(
        _ row: Row, into stored: Row, _ layout: RowLayout, _ rule: UpsertRule
    ) throws(GraphError) -> Row {
        var writer = RowWriter(store: stored.id.store, rowCount: 1)
        writer.begin(layout, key: stored.id.key, version: stored.version &+ 1)
        do {
            for slot in layout.slots {
                var isSet = !row.isNull(slot)
                if isSet, case .attribute(let attribute) = layout.property(at: slot) {
                    isSet = row.value(slot) != attribute.description.defaultValue
                }
                let takesStored = rule == .existingWithSetValues && !isSet
                try writer.set(slot, from: takesStored ? stored : row)
            }
        } catch {
            throw GraphError(error)
        }
        writer.endRow()
        return writer.takeRow() ?? row
    }
}

import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Writes one save request in one transaction, with all its checks.
struct LMDBRequestWriter {
    private let tables: StoreTables
    private let transaction: LMDBTransaction
    private let store: StoreNumber
    private let derived: DerivedAttributes
    private let historyCodec: HistoryCodec
    private let now: Date

    /// - Parameter now: The time of the save, which stays the same if the request is written again.
    init(
        _ transaction: LMDBTransaction, tables: StoreTables, store: StoreNumber,
        derived: DerivedAttributes, historyCodec: HistoryCodec, at now: Date
    ) {
        self.now = now
        self.transaction = transaction
        self.tables = tables
        self.store = store
        self.derived = derived
        self.historyCodec = historyCodec
    }

    /// A row that is removed, added, or replaced by another row of the same object.
    struct Change {
        let key: Int64
        let old: Row?
        var new: Row?
        let tables: EntityTables
    }

    /// Writes the request. Compares the versions of its rows before it writes anything, so that
    /// nothing was written if it throws `.rowConflicts`.
    ///
    /// - Returns: The rows with computed derived values.
    /// - Throws: `.rowConflicts`, `.uniquenessConflicts`, `.unsupportedValue`, `.saveNameTooSmall`,
    ///   `.cancelled`, `.corrupt` for a row that belongs to no entity of the model, or `.engineFailure`, including if the map is full
    ///   (`isMapFull`).
    func write(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        // A save that needs a larger map is written again from the start.
        request.reporter?.restart()
        let stored = try storedRows(of: request)
        try checkVersions(request, stored)
        var changes = try changes(of: request, stored)
        var pass = DerivationPass(
            derived, layouts: tables.layouts, store: store, of: request, at: now)
        try pass.noteDependents(in: state)
        try writeRows(changes, reporter: request.reporter)
        try writeLinks(changes)
        let links = LinkWriter(tables: tables, transaction: transaction)
        for change in changes where change.new == nil {
            try links.removePairs(of: change.key, change.tables)
        }
        for change in request.pairs { try links.apply(change) }
        try derive(&pass, &changes)
        try writeIndexes(changes)
        try UniquenessWriter(transaction, tables: tables, store: store).write(changes)
        if let table = tables.history { try record(request, stored, in: table) }
        if !request.metadata.isEmpty {
            try StoreRecord(transaction: transaction, table: tables.metadata)
                .merge(request.metadata)
        }
        if let id = request.id {
            let record = StoreRecord(transaction: transaction, table: tables.metadata)
            try NamedSaves(record: record).add(id)
        }
        return RowBatch(pass.computedRows)
    }

    /// Adds the save to the history.
    private func record(
        _ request: SaveRequest, _ stored: [ObjectID: Row], in table: LMDBTable
    ) throws(StoreError) {
        let history = HistoryTable(table, transaction, historyCodec)
        var recorder = HistoryRecorder(tables.layouts)
        let change = recorder.transaction(
            of: request, after: try history.newest(), storeID: historyCodec.storeID
        ) { stored[$0] }
        guard let change else { return }
        if request.part?.isFirst ?? true {
            try history.append(change)
        } else {
            try history.add(change.changes)
        }
    }

    private var state: LMDBDerivationState {
        LMDBDerivationState(tables: tables, transaction: transaction, store: store)
    }

    /// Writes the rows whose derived values have changed, and adds them to the changes.
    ///
    /// - Precondition: Rows, links and pairs are already written, but indexes are not.
    private func derive(
        _ pass: inout DerivationPass, _ changes: inout [Change]
    ) throws(StoreError) {
        if derived.isEmpty { return }
        var indices = Dictionary(
            changes.enumerated().compactMap { index, change in
                change.new.map { ($0.id, index) }
            }, uniquingKeysWith: { first, _ in first })
        while let computed = try pass.nextRows(in: state) {
            var written: [Change] = []
            for row in computed {
                let change = Change(
                    key: row.new.key, old: row.old, new: row.new, tables: try tables(of: row.new))
                written.append(change)
                if let index = indices[row.new.id] {
                    changes[index].new = row.new
                } else {
                    indices[row.new.id] = changes.count
                    changes.append(change)
                }
            }
            try writeRows(written, reporter: nil)
        }
    }

    // MARK: Checks

    private func storedRows(of request: SaveRequest) throws(StoreError) -> [ObjectID: Row] {
        var ids = request.updated.map(\.row.id) + request.deleted.map(\.id)
        ids += try ids.isEmpty && request.inserted.isEmpty ? [] : idsThatAreTaken(request.inserted)
        var writer = RowWriter(store: store)
        try RowReader(tables: tables, transaction: transaction).append(rowsFor: ids, to: &writer)
        return Dictionary(
            writer.takeBatch().rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the IDs of new rows for which a row already exists.
    private func idsThatAreTaken(_ inserted: RowBatch) throws(StoreError) -> [ObjectID] {
        var taken: [ObjectID] = []
        var (root, last) = (EntityNumber(0), Int64.max)
        for index in inserted.rowIndices {
            let row = inserted.pointer(at: index)
            if row.rootEntity != root {
                guard let rows = tables.tables(of: row.rootEntity)?.rows else { continue }
                (root, last) = (row.rootEntity, try lastKey(in: rows))
            }
            // Most new rows have keys above all existing ones.
            guard row.key <= last, let rows = tables.tables(of: root)?.rows else { continue }
            if try transaction.get(row.key, in: rows) != nil {
                taken.append(inserted[row: index].id)
            }
        }
        return taken
    }

    private func lastKey(in rows: LMDBTable) throws(StoreError) -> Int64 {
        var cursor = try transaction.cursor(on: rows)
        guard let last = try cursor.go(.last), last.key.count == 8 else { return 0 }
        return last.key.loadUnaligned(as: Int64.self)
    }

    private func checkVersions(
        _ request: SaveRequest, _ stored: [ObjectID: Row]
    ) throws(StoreError) {
        // Most saves only insert rows.
        if request.updated.isEmpty, request.deleted.isEmpty, stored.isEmpty,
            !request.changesAnObjectTwice
        {
            return
        }
        let conflicts = request.rowConflicts { stored[$0] }
        if !conflicts.isEmpty { throw .rowConflicts(conflicts) }
    }

    private func changes(
        of request: SaveRequest, _ stored: [ObjectID: Row]
    ) throws(StoreError) -> [Change] {
        var changes: [Change] = []
        changes.reserveCapacity(request.inserted.count + request.updated.count)
        for row in request.inserted.rows {
            changes.append(Change(key: row.key, old: nil, new: row, tables: try tables(of: row)))
        }
        for update in request.updated {
            changes.append(
                Change(
                    key: update.row.key, old: stored[update.row.id], new: update.row,
                    tables: try tables(of: update.row))
            )
        }
        for deletion in request.deleted {
            guard let old = stored[deletion.id] else { continue }
            changes.append(Change(key: old.key, old: old, new: nil, tables: try tables(of: old)))
        }
        return changes
    }

    private func tables(of row: Row) throws(StoreError) -> EntityTables {
        guard let entity = tables.tables(of: row.entity), entity.root == row.rootEntity,
            !entity.isAbstract, row.key > 0
        else {
            throw .corrupt(
                transaction.location, location: "a row to save",
                detail:
                    "the model has no concrete entity with the number \(row.entity.rawValue) that"
                    + " inherits from the number \(row.rootEntity.rawValue), or the row's key is not"
                    + " permanent")
        }
        return entity
    }

    // MARK: Rows

    private func writeRows(
        _ changes: [Change], reporter: SaveReporter?
    ) throws(StoreError) {
        for change in changes where change.new == nil {
            var key = change.key
            _ = try withUnsafeBytes(of: &key) { key throws(StoreError) in
                try transaction.delete(key, in: change.tables.rows)
            }
            try reporter?.wrote()
        }
        let isSorted = zip(changes, changes.dropFirst()).allSatisfy { !Self.precedes($1, $0) }
        let sorted = isSorted ? changes : changes.sorted(by: Self.precedes)
        var start = 0
        while start < sorted.count {
            let table = sorted[start].tables.rows
            var end = start
            while end < sorted.count, sorted[end].tables.rows.handle == table.handle { end += 1 }
            try put(sorted[start..<end], in: table, reporter: reporter)
            start = end
        }
    }

    private static func precedes(_ left: Change, _ right: Change) -> Bool {
        (left.tables.root, left.key) < (right.tables.root, right.key)
    }

    private func put(
        _ changes: ArraySlice<Change>, in table: LMDBTable, reporter: SaveReporter?
    ) throws(StoreError) {
        var last = try lastKey(in: table)
        var cursor = try transaction.cursor(on: table)
        for change in changes {
            guard let row = change.new else { continue }
            if !change.tables.externalSlots.isEmpty { try checkValues(row, change.tables) }
            let isLast = change.key > last
            if isLast { last = change.key }
            try row.withBytes { bytes throws(StoreError) in
                try cursor.put(
                    byteCount: bytes.count + Sealed.sealByteCount, under: change.key, isLast: isLast
                ) { seal(bytes, into: $0) }
            }
            try reporter?.wrote()
        }
    }

    /// Writes a checksum, then the row with the store's entity numbers.
    @inline(__always) private func seal(
        _ row: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) {
        guard let numbering = tables.numbering else { return Sealed.seal(row, into: buffer) }
        Sealed.seal(row, into: buffer) { tables.layouts.renumber($0, for: numbering) }
    }

    /// Rejects values that are stored elsewhere, because rows of this engine contain all their
    /// values.
    private func checkValues(_ row: Row, _ entity: EntityTables) throws(StoreError) {
        for slot in entity.externalSlots where !row.isNull(slot) {
            guard case .reference = row.externalBinary(slot) else { continue }
            let layout = tables.layouts.layout(of: entity.entity)
            throw .unsupportedValue(
                entity: entity.name,
                attribute: layout?.properties[Int(slot.index)].name ?? "",
                reason: "its bytes are in a file of another store")
        }
    }

    // MARK: Indexes and links

    private func writeIndexes(_ changes: [Change]) throws(StoreError) {
        var indexes: [LMDBTable: IndexChanges] = [:]
        Self.forEachEntity(of: changes) { entity, changes in
            for index in entity.indexes {
                // Remove it from the dictionary while it changes, so that it is not copied.
                var noted = indexes.removeValue(forKey: index.table) ?? IndexChanges(index.table)
                for change in changes {
                    noted.replace(rowKey: change.key, old: change.old, new: change.new) {
                        IndexKey.append($0, index.slot, to: &$1)
                    }
                }
                indexes[index.table] = noted
            }
        }
        for changes in indexes.values { try changes.write(transaction) }
    }

    private func writeLinks(_ changes: [Change]) throws(StoreError) {
        var noted: [LMDBTable: LinkChanges] = [:]
        Self.forEachEntity(of: changes) { entity, changes in
            for link in entity.links {
                // Remove it from the dictionary while it changes, so that it is not copied.
                var links = noted.removeValue(forKey: link.table) ?? LinkChanges()
                for change in changes { links.replace(change.old, by: change.new, at: link.slot) }
                noted[link.table] = links
            }
        }
        let writer = LinkWriter(tables: tables, transaction: transaction)
        for (table, links) in noted {
            try writer.remove(links.removed, from: table)
            try writer.add(links.added, to: table)
        }
    }

    /// Calls the body with runs of changes that have the same entity.
    private static func forEachEntity(
        of changes: [Change], _ body: (EntityTables, ArraySlice<Change>) -> Void
    ) {
        var start = 0
        while start < changes.count {
            let entity = changes[start].tables
            var end = start
            while end < changes.count, changes[end].tables === entity { end += 1 }
            body(entity, changes[start..<end])
            start = end
        }
    }
}

/// The links of one table to remove and to add.
private struct LinkChanges {
    private(set) var removed: [LinkWriter.Link] = []
    private(set) var added: [LinkWriter.Link] = []

    /// Notes the new destination of a row's to-one relationship, if it differs from the old one.
    mutating func replace(_ old: Row?, by new: Row?, at slot: RowLayout.Slot) {
        let before = link(old, slot)
        let now = link(new, slot)
        if before?.destination == now?.destination { return }
        if let before { removed.append(before) }
        if let now { added.append(now) }
    }

    /// Returns the link of a row's to-one relationship. Returns `nil` if the relationship is `nil`
    /// or there is no row.
    @inline(__always) private func link(_ row: Row?, _ slot: RowLayout.Slot) -> LinkWriter.Link? {
        guard let row, !row.isNull(slot) else { return nil }
        return LinkWriter.Link(
            destination: row.objectID(slot).key, source: row.key, entity: row.entity)
    }
}

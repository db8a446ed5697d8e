import CairnModel
import CairnRows
import CairnStore

/// Writes a save request into an open transaction, step by step.
struct SQLiteRequestWriter {
    let save: SaveContext
    let store: SQLiteStore
    let computed: ComputedRows
    /// The highest key that the save reserved in each root entity. These keys are already recorded.
    let reserved: [EntityNumber: Int64]

    /// Writes the request, and returns the rows for which the store computed values.
    ///
    /// - Throws: `.rowConflicts`, `.uniquenessConflicts`, `.unsupportedValue`, `.unsupported`,
    ///   `.saveNameTooSmall`, `.cancelled`, `.fileFailure`, `.corrupt` or `.engineFailure`.
    func write(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        try refuseRepeats(request)
        var deleter = RowDeleter(save)
        var updater = RowUpdater(save, uniqueColumns: store.uniqueColumns)
        var inserter = RowInserter(save)
        var derivation = DerivationWriter(save, derived: store.derivedAttributes, of: request)
        try derivation.noteDependents()
        let tombstones =
            save.history == nil ? [:] : try HistoryWriter.tombstones(of: request, save)
        // Deletions, then updates, free unique values for the steps after them.
        try deleter.delete(request.deleted, reporter: request.reporter)
        try updater.update(request.updated, reporter: request.reporter)
        try inserter.insert(request.inserted, reporter: request.reporter)
        try reportRowConflicts(deleter, updater, inserter)
        try reportUniquenessConflicts(updater.clashing + inserter.clashing, among: request.rows)
        try PairWriter(save: save).write(request.pairs)
        var orderFiller = OrderFiller(save: save, columns: store.orderColumns)
        try orderFiller.fill(request)
        try derivation.write()
        try reportUniquenessConflicts(
            derivation.clashing, among: request.rows + derivation.computedRows)
        try raiseKeys(inserter.highestKeys)
        if let history = save.history {
            var writer = try HistoryWriter(save, history, tombstones: tombstones)
            try writer.record(request)
        }
        if !request.metadata.isEmpty {
            try MetadataTable(connection: save.connection).set(request.metadata)
        }
        if let id = request.id { try NamedSavesTable(connection: save.connection).add(id) }
        return try computedRows(
            and: derivation.computedRows.map(\.id) + save.externalData.renamingRows
                + outdatedRows(of: request))
    }

    /// Returns the updated objects whose derived values in the store are not those of the request. Updates do not
    /// write derived values, and others may have changed these without changing the row's version.
    private func outdatedRows(of request: SaveRequest) throws(StoreError) -> [ObjectID] {
        let map = save.schema.map
        let rows = request.updated.compactMap { update in
            map.model.entity(numbered: update.row.entity)?.hasDerivedAttributes == true
                ? update.row : nil
        }
        if rows.isEmpty { return [] }
        let stored = try save.storedRows(rows.map(\.id))
        return rows.filter { row in
            guard let found = stored[row.id], let layout = map.layouts.layout(of: row.entity)
            else { return false }
            return layout.slots.contains { slot in
                guard case .attribute(let attribute) = layout.property(at: slot),
                    attribute.isDerived
                else { return false }
                return found.value(slot) != row.value(slot)
            }
        }.map(\.id)
    }

    /// Throws row conflicts if the request changes an object twice. The first change would give the
    /// row another version than the second one expects.
    private func refuseRepeats(_ request: SaveRequest) throws(StoreError) {
        guard request.changesAnObjectTwice else { return }
        let stored = try save.storedRows(
            request.rows.map(\.id) + request.deleted.map(\.id))
        throw .rowConflicts(request.rowConflicts { stored[$0] })
    }

    private func reportRowConflicts(
        _ deleter: RowDeleter, _ updater: RowUpdater, _ inserter: RowInserter
    ) throws(StoreError) {
        let expected =
            deleter.conflicts.map { ($0.id, $0.previousVersion) }
            + updater.conflicts.map { ($0.row.id, $0.previousVersion) }
            // For a new object whose key is taken, the expected state is that no row exists.
            + inserter.occupied.map { ($0, 0) }
        guard !expected.isEmpty else { return }
        let stored = try save.storedRows(expected.map(\.0))
        throw .rowConflicts(
            expected.map { RowConflict(id: $0.0, expectedVersion: $0.1, stored: stored[$0.0]) })
    }

    private func reportUniquenessConflicts(
        _ clashing: [ObjectID], among rows: @autoclosure () -> [Row]
    ) throws(StoreError) {
        guard !clashing.isEmpty else { return }
        let report = UniquenessReport(
            save: save, uniqueColumns: store.uniqueColumns,
            requested: Dictionary(
                rows().map { ($0.id, $0) }, uniquingKeysWith: { _, last in last }))
        let conflicts = try report.conflicts(of: clashing)
        guard conflicts.isEmpty else { throw .uniquenessConflicts(conflicts) }
        throw .engineFailure(
            EngineFailure(
                type: SQLiteStore.type, location: save.schema.location, operation: "save",
                code: 2067, message: "a unique index that is not in the model refused a row"))
    }

    /// Records the keys that were not reserved here, as in a copy that keeps its keys, so that they
    /// are not assigned again.
    private func raiseKeys(_ highest: [EntityNumber: Int64]) throws(StoreError) {
        for (root, key) in highest where key > reserved[root] ?? 0 {
            let schema = try store.rootSchema(of: root)
            try PrimaryKeyTable(connection: save.connection)
                .raise(root: schema.storeNumber, to: key)
        }
    }

    private func computedRows(
        and others: some Sequence<ObjectID>
    ) throws(StoreError) -> RowBatch {
        let map = save.schema.map
        let ids = computed.rowKeys.compactMap { row -> ObjectID? in
            guard let number = map.entityNumber(forStoreNumber: row.entity),
                let entity = map.model.entity(numbered: number)
            else { return nil }
            return ObjectID(
                store: save.schema.store, rootEntity: entity.rootEntity.number, entity: number,
                key: row.key)
        }
        let all = Array(Set(ids).union(others))
        guard !all.isEmpty else { return RowBatch() }
        return try RowsByKey(schema: save.schema, connection: save.connection).rows(for: all)
    }
}

extension SaveRequest {
    /// All rows that the request inserts or updates.
    var rows: [Row] { Array(inserted.rows) + updated.map(\.row) }
}

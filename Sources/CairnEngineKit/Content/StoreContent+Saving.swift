import CairnModel
import CairnRows
import CairnStore

extension StoreContent {
    /// Checks a request, applies it and computes derived attributes, as described in
    /// ``SaveTransaction/prepare(_:)``. After an error, discard the content.
    ///
    /// - Returns: the rows that differ from those in the request because derived values were
    ///   computed.
    /// - Throws: `.rowConflicts`, `.uniquenessConflicts`, `.saveNameTooSmall`, `.cancelled`;
    ///   `.engineFailure` for a request that is not well formed; `.unsupportedValue` for a derived
    ///   value that its attribute cannot hold, and for a reference to bytes outside of a row;
    ///   `.unsupported` for a row of an abstract entity, or of an entity that the store does not
    ///   hold.
    package mutating func apply(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        try request.requireWellFormed(for: metadata.type, at: location)
        if let id = request.id { try saves.requireAnswerable(id, at: location) }
        let transaction = historyTransaction(of: request)
        let recomputed = try writeRows(of: request)
        noteKeys(of: request.inserted.ids + request.deleted.map(\.id))
        metadata.values.merge(request.metadata) { _, new in new }
        generation += 1
        if let id = request.id { saves.add(id) }
        if let transaction {
            if request.part?.isFirst ?? true {
                history?.append(transaction)
            } else {
                history?.add(transaction.changes)
            }
        }
        for var transaction in request.addedHistory ?? [] {
            transaction.storeID = metadata.identifier
            history?.append(transaction)
        }
        if let position = request.purgesHistoryBefore { history?.purge(before: position) }
        return RowBatch(recomputed)
    }

    var location: StoreLocation { table.schema.request.location }

    /// Returns the rows with derived values that were computed.
    private mutating func writeRows(of request: SaveRequest) throws(StoreError) -> [Row] {
        let base = table
        let rows = request.updated.map(\.row) + request.inserted.rows
        for row in rows { try check(row) }
        try checkEntities(request)
        let conflicts = request.rowConflicts { base.row(root: $0.rootEntity, key: $0.key) }
        if !conflicts.isEmpty { throw .rowConflicts(conflicts) }
        for deletion in request.deleted {
            table.removeRow(root: deletion.id.rootEntity, key: deletion.id.key)
            try request.reporter?.wrote()
        }
        for row in memory.copy(rows).rows {
            table.set(row)
            try request.reporter?.wrote()
        }
        for change in request.pairs { table.apply(change) }
        let derived = try derive(request, from: base)
        if !table.schema.constraints.isEmpty {
            try checkUniqueness(Set((rows + derived).map(\.id)))
        }
        table.compact(memory.copy)
        return derived
    }

    private mutating func derive(
        _ request: SaveRequest, from base: StoreTable
    ) throws(StoreError) -> [Row] {
        var pass = DerivationPass(
            table.schema.derivedAttributes, layouts: layouts, store: number, of: request)
        try pass.noteDependents(in: TableResolver(table: base, store: number))
        while let computed = try pass.nextRows(in: resolver) {
            for row in memory.copy(computed.map(\.new)).rows { table.set(row) }
        }
        return pass.computedRows
    }

    /// Returns the members of deleted objects, as described in
    /// ``SaveTransaction/members(_:ofDeleted:)``.
    package func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) -> RelatedIDs? {
        var reading = MemberReading(table: table, store: number, ownersAreDeleted: true)
        return reading.answer([RelatedQuestion(relationship, of: owners)]).members.first
    }

    /// Follows relationships in this state.
    var resolver: TableResolver { TableResolver(table: table, store: number) }

    /// Records that the keys of these objects have been assigned, by this store or by the store that it was
    /// copied from.
    private mutating func noteKeys(of ids: [ObjectID]) {
        for id in ids where id.key >= nextKeys[id.rootEntity] ?? 1 {
            nextKeys[id.rootEntity] = id.key == .max ? .max : id.key + 1
        }
    }

    /// Checks that the store holds the entities of deleted objects and of pairs.
    private func checkEntities(_ request: SaveRequest) throws(StoreError) {
        let held = table.schema.held
        for deletion in request.deleted { try held.require(deletion.id.rootEntity) }
        for pair in request.pairs {
            try held.require(pair.owner.rootEntity)
            try held.require(pair.member.rootEntity)
        }
    }

    private func check(_ row: Row) throws(StoreError) {
        try table.schema.held.requireRows(of: row.entity, below: row.rootEntity)
        for slot in table.schema.plan(of: row.entity, \.externalSlots) ?? [] where !row.isNull(slot)
        {
            // The referenced file belongs to another store, and is moved or removed with that
            // store.
            guard case .reference = row.externalBinary(slot),
                let layout = table.schema.layouts.layout(of: row.entity)
            else { continue }
            throw .unsupportedValue(
                entity: layout.entity.name, attribute: layout.properties[Int(slot.index)].name,
                reason: "its bytes are outside the row, but a store in memory needs them inside the"
                    + " row")
        }
    }

    // MARK: Uniqueness

    private func checkUniqueness(_ changed: Set<ObjectID>) throws(StoreError) {
        let rows = changed.compactMap { table.row(root: $0.rootEntity, key: $0.key) }
        try UniquenessConflict.requireNone(
            under: table.schema.constraints, { $0.properties }, of: rows, changed: changed
        ) { clashing(with: $0, in: $1) }
    }

    /// Returns all rows of the new state with the same unique values as the row, including the row
    /// itself, sorted by key.
    private func clashing(with row: Row, in constraint: TableSchema.Constraint) -> [Row] {
        guard let indexes = table.schema.plan(of: row.entity, \.indexes),
            let index = indexes.first(where: { $0.index == constraint.index }),
            let code = index.code(of: row), let slots = constraint.properties.slots(in: row.entity)
        else { return [] }
        let keys = table.keys(withCodes: code...code, inIndex: constraint.index)
        // One of the entries is the row itself, so no values have to be compared.
        if keys.count < 2 { return [] }
        return keys.compactMap { table.row(root: row.rootEntity, key: $0) }.filter { other in
            guard let others = constraint.properties.slots(in: other.entity) else { return false }
            return zip(slots, others).allSatisfy { row.value($0) == other.value($1) }
        }
    }
}

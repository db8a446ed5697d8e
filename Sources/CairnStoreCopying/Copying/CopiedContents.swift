import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The content of one state of a store, converted to the form in which another store saves it.
struct CopiedContents {
    let snapshot: any StoreSnapshot
    let mapping: ContentMapping
    /// The number of the store that saves the content.
    let store: StoreNumber
    /// Whether a value whose file is missing becomes `nil`.
    var allowsMissingExternalData = false
    /// Whether the saving store already has the files of external values, under the same names.
    var sharesExternalData = false
    /// The destinations that follow from inverse relationships, by the index of the link and by the
    /// key of the object that the to-one relationship belongs to.
    var links: [[Int64: ObjectID]] = []

    // MARK: Rows

    /// Returns a save of the rows from index `next` on, and advances `next` past the last of them.
    ///
    /// The save includes bytes that a row keeps in a file, so one batch may need several saves.
    ///
    /// - Parameter notes: collects the facts about the rows that are needed later.
    /// - Throws: `.corrupt` for a row whose entity does not exist; `.migrationRefused` for a row
    ///   for which the new model has no entity; `.unsupportedValue` for a row that would be too
    ///   large; the errors of the snapshot.
    func request(
        for rows: RowBatch, from next: inout Int, noting notes: inout CopyNotes
    ) throws(StoreError) -> SaveRequest {
        var writer = RowWriter(store: store)
        var request = SaveRequest()
        var byteCount = 0
        let ends = try pathEnds(of: rows, from: next)
        while next < rows.count, byteCount < BatchSize.byteCount {
            let row = rows[row: next]
            for entity in try rowMappings(of: row) {
                let old = OldRow(row, ends[next] ?? [], keyOffset: entity.keyOffset)
                byteCount += try append(old, entity, to: &writer, noting: &notes)
                request.pairs += membersWithoutPosition(old, entity)
            }
            next += 1
        }
        request.inserted = writer.takeBatch()
        return request
    }

    /// Returns the mappings of a row, none if the entity was removed.
    private func rowMappings(of row: Row) throws(StoreError) -> [RowMapping] {
        switch mapping.fate(of: row.entity) {
        case .continues(let mappings)?: return mappings
        case .impossible(let entity, let reason)?:
            throw .migrationRefused(
                StoreLocation.memory("a copy"), findings: [InferenceFinding(entity, nil, reason)])
        case nil:
            throw .corrupt(
                StoreLocation.memory("a copy"), location: "the row of key \(row.key)",
                detail: "the model has no entity with the number \(row.entity.rawValue)")
        }
    }

    /// Appends a converted row, and returns the number of bytes that it takes.
    private func append(
        _ old: OldRow, _ entity: RowMapping, to writer: inout RowWriter,
        noting notes: inout CopyNotes
    ) throws(StoreError) -> Int {
        let row = old.row
        let external = try externalValues(of: row, entity, noting: &notes)
        try checkRequirements(of: row, entity)
        // A row that another program wrote with SQL may have no version, but stores count versions
        // from 1.
        if entity.isIdentical, external.isEmpty, row.version > 0 {
            writer.append(copyOf: row)
            return row.byteCount
        }
        do {
            writer.begin(entity.new, key: old.newKey, version: max(row.version, 1))
            if external.isEmpty {
                for step in entity.steps {
                    switch step {
                    case .transfer(let slots): try writer.set(slots, from: row)
                    case .slot(let it):
                        try set(it.slot, from: old, by: it.mapping, entity, to: &writer)
                    }
                }
            } else {
                try set(external, old, entity, to: &writer)
            }
            writer.endRow()
        } catch {
            throw .unsupportedValue(
                entity: entity.new.entity.name, attribute: error.property,
                reason: error.reason)
        }
        return row.byteCount + external.values.reduce(0) { $0 + ($1?.count ?? 0) }
    }

    /// Sets the values of a row that keeps some of its bytes elsewhere.
    private func set(
        _ external: [UInt16: Data?], _ row: OldRow, _ entity: RowMapping,
        to writer: inout RowWriter
    ) throws(RowError) {
        for (slot, source) in zip(entity.new.slots, entity.slots) {
            guard let source else { continue }
            if case .bytes(let old, _) = source, let value = external[old.index] {
                if let value { try set(value, at: slot, to: &writer) }
            } else {
                try set(slot, from: row, by: source, entity, to: &writer)
            }
        }
    }

    private func set(
        _ slot: RowLayout.Slot, from old: OldRow, by source: SlotMapping, _ entity: RowMapping,
        to writer: inout RowWriter
    ) throws(RowError) {
        let row = old.row
        switch source {
        case .same(let old): try writer.set(slot, from: row, at: old)
        case .bytes(let old, let missing):
            if row.isNull(old) { return try writer.set(missing, at: slot, of: entity.new) }
            if old.kind == slot.kind { return try writer.set(slot, from: row, at: old) }
            if case .binary(let data) = row.value(old) { try set(data, at: slot, to: &writer) }
        case .destination, .successor, .linked:
            guard let id = destination(of: old, by: source) else { return }
            writer.set(key: id.key, entity: id.entity, at: slot)
        case .converted(let old, let conversion, let missing):
            guard let converted = conversion.apply(to: row.value(old)) else {
                throw .wrongType(
                    entity: entity.old.entity.name,
                    property: entity.old.properties[Int(old.index)].name,
                    expected: "\(slot.kind)")
            }
            let value = converted == .null ? missing : converted
            try writer.set(value, at: slot, of: entity.new)
        case .constant(let value): try writer.set(value, at: slot, of: entity.new)
        case .found(let path, let conversion):
            let end = old.ends[path]
            guard let row = end.row, let read = end.slot, !row.isNull(read) else { return }
            guard let value = conversion.apply(to: row.value(read)) else {
                throw .wrongType(
                    entity: entity.new.entity.name, property: entity.new.property(at: slot).name,
                    expected: "\(slot.kind)")
            }
            try writer.set(value, at: slot, of: entity.new)
        }
    }

    /// Returns the destination of a to-one relationship, or `nil` if it does not exist.
    @inline(__always)
    private func destination(of old: OldRow, by source: SlotMapping) -> ObjectID? {
        switch source {
        case .destination(let slot, let successors, let entities, _):
            return destination(of: old.row, at: slot, successors, among: entities)
        case .successor(let path, let successors, let entities):
            guard let end = path.map({ old.ends[$0].id }) ?? old.row.id,
                let id = mapping.successors[successors].id(end, in: store),
                entities.contains(id.entity)
            else { return nil }
            return id
        case .linked(let link): return links[link][old.newKey]
        default: return nil
        }
    }

    /// Returns the destination of a to-one relationship, or `nil` if it no longer exists.
    private func destination(
        of row: Row, at slot: RowLayout.Slot, _ successors: Int, among entities: Range<EntityNumber>
    ) -> ObjectID? {
        guard !row.isNull(slot),
            let id = mapping.successors[successors].id(row.objectID(slot), in: store),
            entities.contains(id.entity)
        else { return nil }
        return id
    }

    /// - Throws: `.migrationRefused` if the row does not meet a condition of the migration.
    private func checkRequirements(
        of row: Row, _ entity: RowMapping
    ) throws(StoreError) {
        for requirement in entity.requirements where !meets(requirement.condition, row) {
            throw .migrationRefused(
                StoreLocation.memory("a copy"), findings: [requirement.finding])
        }
    }

    private func meets(_ condition: RowMapping.Requirement.Condition, _ row: Row) -> Bool {
        switch condition {
        case .value(let slot): slot.map { !row.isNull($0) } ?? false
        case .conversion(let slot, let conversion): conversion.apply(to: row.value(slot)) != nil
        case .destination(let slot, let refusesNull, let entities):
            !refusesNull && row.isNull(slot)
                || destination(of: row, at: slot, 0, among: entities) != nil
        }
    }

    private func set(
        _ data: Data, at slot: RowLayout.Slot, to writer: inout RowWriter
    ) throws(RowError) {
        if slot.kind == .externalBinary {
            try writer.set(.inline(data), at: slot)
        } else {
            try writer.set(data, at: slot)
        }
    }

    /// Returns the values that are stored outside of the row and have to be written again, by slot
    /// number. A value whose file is missing is `nil`.
    private func externalValues(
        of row: Row, _ entity: RowMapping, noting notes: inout CopyNotes
    ) throws(StoreError) -> [UInt16: Data?] {
        var values: [UInt16: Data?] = [:]
        for slot in entity.externalSlots {
            let old = slot.old
            guard !row.isNull(old), case .reference(let reference) = row.externalBinary(old) else {
                continue
            }
            if sharesExternalData, slot.staysExternal {
                notes.externalNames.insert(reference.name)
                continue
            }
            do {
                values[old.index] = try snapshot.externalData(reference)
            } catch {
                guard allowsMissingExternalData, case .externalDataMissing(_, let path) = error
                else { throw error }
                values.updateValue(nil, forKey: old.index)
                notes.missingValues.append(
                    MissingExternalValue(
                        entity: entity.old.entity.name, key: row.key,
                        attribute: entity.old.properties[Int(old.index)].name, path: path))
            }
        }
        return values
    }

    /// Returns an insertion without a position for each ordered relationship of which the row is a
    /// member. The position follows later. Without the insertion, a store would search all members
    /// for the last position.
    private func membersWithoutPosition(_ old: OldRow, _ entity: RowMapping) -> [PairChange] {
        entity.orderedOwners.compactMap { ordered in
            guard let owner = destination(of: old, by: ordered.source) else { return nil }
            let member = ObjectID(
                store: store, rootEntity: entity.new.entity.rootEntity.number,
                entity: entity.new.entity.number, key: old.newKey)
            return PairChange(.insert, ordered.relationship, owner: owner, member: member)
        }
    }

    // MARK: Pairs

    /// Passes the pairs of a source to the body, a share at a time.
    ///
    /// - Throws: the errors of the snapshot and of the body.
    func forEachShare(
        of source: PairSource, _ body: ([PairChange]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let toOne = source.path.count == 1 && !source.path[0].isToMany ? source.path[0] : nil
        let plan = FetchPlan(
            entity: source.near, includesSubentities: source.includesSubentities,
            output: toOne == nil ? .ids : .rows)
        let cursor = try snapshot.cursor(plan)
        while let batch = try cursor.next(atMost: BatchSize.ownerCount) {
            if let toOne {
                try body(pairs(from: source, through: toOne, of: batch))
                continue
            }
            let ids = batch.ids.filter {
                source.includesSubentities || $0.entity == source.near.number
            }
            try forEachShare(ofPairsFrom: source, of: ids, body)
        }
    }

    /// Passes the pairs that the objects have through a to-many relationship of the old model to
    /// the body. Each call gets at most as many pairs as one save takes, because a single owner may
    /// be related to all objects of a store.
    ///
    /// - Throws: the errors of the snapshot and of the body.
    private func forEachShare(
        ofPairsFrom source: PairSource, of ids: [ObjectID],
        _ body: ([PairChange]) throws(StoreError) -> Void
    ) throws(StoreError) {
        var changes: [PairChange] = []
        try forEachEnd(of: source.path, from: ids) {
            (near, far, orderKey) throws(StoreError) in
            append(near, far, orderKey, from: source, to: &changes)
            if changes.count == BatchSize.pairCount {
                try body(changes)
                changes.removeAll(keepingCapacity: true)
            }
        }
        if !changes.isEmpty { try body(changes) }
    }

    /// Returns the pairs that the objects have through a to-one relationship of the old model.
    private func pairs(
        from source: PairSource, through toOne: Relationship, of rows: RowBatch
    ) -> [PairChange] {
        var changes: [PairChange] = []
        for row in rows.rows where source.includesSubentities || row.entity == source.near.number {
            guard let layout = mapping.old.layout(of: row.entity),
                let slot = layout.slot(named: toOne.name), !row.isNull(slot)
            else { continue }
            append(row.id, row.objectID(slot), nil, from: source, to: &changes)
        }
        return changes
    }

    private func append(
        _ near: ObjectID, _ far: ObjectID, _ orderKey: Int64?, from source: PairSource,
        to changes: inout [PairChange]
    ) {
        // Objects of removed entities no longer have pairs.
        let (nearIDs, farIDs) = source.successors
        guard let near = mapping.successors[nearIDs].id(near, in: store),
            let far = mapping.successors[farIDs].id(far, in: store)
        else { return }
        let (owner, member) = source.isReversed ? (far, near) : (near, far)
        // Objects of an entity that has left the hierarchy no longer have the relationship.
        guard source.owners.contains(owner.entity), source.members.contains(member.entity) else {
            return
        }
        changes.append(
            PairChange(
                source.isReordering ? .reorder : .insert, source.told, owner: owner,
                member: member,
                orderKey: source.order.key(of: member, kept: orderKey),
                inverseOrderKey: source.inverseOrder.key(of: owner, kept: orderKey)))
    }
}

extension PairSource.Order {
    /// Returns the position of an object in the order.
    fileprivate func key(of id: ObjectID, kept: Int64?) -> Int64? {
        switch self {
        case .none, .later: nil
        case .kept: kept
        case .byKey: Self.position(ofKey: id.key)
        }
    }

    /// Like those of Core Data, positions are far apart, so that other objects can be inserted in
    /// between.
    private static func position(ofKey key: Int64) -> Int64 {
        let (product, overflows) = key.multipliedReportingOverflow(by: 1024)
        return overflows ? key : product
    }
}

extension RowError {
    var property: String {
        switch self {
        case .wrongType(_, let property, _), .tooLarge(_, let property): property
        }
    }

    var reason: String {
        switch self {
        case .wrongType(_, _, let expected): "its value does not have the type \(expected)"
        case .tooLarge: "its row would be larger than 2 GiB"
        }
    }
}

import CairnModel
import CairnRows
import CairnStore

/// The content of a batch: changes that no context holds, as packed rows with permanent IDs.
package final class BatchContent: ChangedObjects {
    package var changes = ChangeSet()
    /// The rows of the new and the changed objects, in the order of ``changes``.
    private var inserted: [Row] = []
    private var updated: [Row] = []
    /// Where the next row is looked for first. Each store asks for its rows in the order of the changes, so the next
    /// row is nearly always there.
    private var next = 0

    package init() {}

    package func insert(_ rows: RowBatch) {
        for row in rows.rows {
            inserted.append(row)
            changes.inserted.append(row.id)
        }
    }

    /// - Parameter row: A row whose version is one greater than that of the stored row.
    package func update(_ row: Row, _ slots: SlotSet) {
        updated.append(row)
        changes.updated.append(
            ChangeSet.Update(
                id: row.id, previousVersion: row.version &- 1, changedSlots: slots))
    }

    package func delete(_ id: ObjectID, version: Int64) {
        changes.deleted.append(RowDeletion(id: id, previousVersion: version))
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
        _ conflicts: [UniquenessConflict], by rule: UpsertRule, _ layouts: RowLayouts
    ) throws(GraphError) {
        let rows = Dictionary(
            inserted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
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
                !changes.updated.contains(where: { $0.id == stored.id })
            else { throw .store(.uniquenessConflicts([conflict])) }
            let merged = try Self.merged(row, into: stored, layout, rule)
            let changed = layout.slots.filter { slot in
                if case .attribute(let attribute) = layout.property(at: slot), attribute.isDerived {
                    return false
                }
                return merged.value(slot) != stored.value(slot)
            }
            if !changed.isEmpty { update(merged, SlotSet(changed.map { Int($0.index) })) }
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

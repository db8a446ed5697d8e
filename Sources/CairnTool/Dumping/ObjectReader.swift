import Cairn
import CairnStore

/// A reader of every object of a store with its relationships, in batches. The order is the same on every
/// engine: by the name of the root entity in code units, then by key.
struct ObjectReader {
    /// An object: its row and the members of its to-many relationships.
    struct Object {
        let row: Row
        let layout: RowLayout
        let members: [(relationship: Relationship, ids: [ObjectID])]

        /// Returns the value of a slot. A value that is stored outside of the row is read.
        ///
        /// - Throws: `.externalDataMissing`, `.fileFailure`, `.closed`.
        func value(
            _ slot: RowLayout.Slot, from snapshot: any StoreSnapshot
        ) throws(StoreError) -> Value {
            guard slot.kind == .externalBinary, !row.isNull(slot) else { return row.value(slot) }
            switch row.externalBinary(slot) {
            case .inline(let data): return .binary(data)
            case .reference(let reference):
                return .binary(try snapshot.externalData(reference))
            }
        }

        /// Calls the body with each destination of the object's relationships. Destinations of to-ones come
        /// first.
        func forEachWalk(_ body: (Relationship, ObjectID) -> Void) {
            for (property, slot) in zip(layout.properties, layout.slots) {
                guard case .relationship(let relationship) = property, !row.isNull(slot) else {
                    continue
                }
                body(relationship, row.objectID(slot))
            }
            for (relationship, ids) in members {
                for id in ids { body(relationship, id) }
            }
        }
    }

    /// The number of rows that are read at a time. It limits the memory for stores of any size.
    private static let batchCount = 500

    let snapshot: any StoreSnapshot
    let layouts: RowLayouts

    /// Calls the body with each object.
    ///
    /// - Throws: The errors of the snapshot and of the body.
    func forEach(_ body: (Object) throws -> Void) throws {
        for root in Self.roots(of: layouts.model) { try forEach(of: root, body) }
    }

    /// Calls the body with each object of a root entity and its subentities.
    ///
    /// - Throws: The same errors as ``forEach(_:)``.
    func forEach(of root: Entity, _ body: (Object) throws -> Void) throws {
        try forEachBatch(of: root) { batch in
            for object in try objects(of: batch) { try body(object) }
        }
    }

    /// Returns the entities without a superentity, sorted by name in code units.
    static func roots(of model: ManagedObjectModel) -> [Entity] {
        model.entities.filter { $0.superentity == nil }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Calls the body with batches of rows in the order of their keys. If the engine cannot sort, sorts the
    /// IDs first.
    private func forEachBatch(of root: Entity, _ body: (RowBatch) throws -> Void) throws {
        var plan = FetchPlan(entity: root, sorts: [BoundSort(BoundPath(leaf: .object))])
        let cursor = try snapshot.cursor(plan)
        if cursor.completed.isComplete {
            while let batch = try cursor.next(atMost: Self.batchCount) { try body(batch) }
            return
        }
        plan.sorts = []
        plan.output = .ids
        var ids = try snapshot.allIDs(plan)
        ids.sort { $0.key < $1.key }
        for start in stride(from: 0, to: ids.count, by: Self.batchCount) {
            let part = Array(ids[start..<min(start + Self.batchCount, ids.count)])
            try body(RowBatch(try snapshot.rows(for: part).rows.sorted { $0.key < $1.key }))
        }
    }

    private func objects(of batch: RowBatch) throws -> [Object] {
        var members = [[(relationship: Relationship, ids: [ObjectID])]](
            repeating: [], count: batch.count)
        let indicesByEntity = Dictionary(grouping: batch.rowIndices) { batch[row: $0].entity }
        for (number, indices) in indicesByEntity {
            guard let entity = layouts.model.entity(numbered: number) else { continue }
            let owners = indices.map { batch.id(at: $0) }
            for relationship in entity.relationships
            where relationship.isToMany && !relationship.isTransient {
                let related = try snapshot.relatedIDs(relationship, of: owners)
                for (ownerIndex, index) in indices.enumerated() {
                    let ids = Array(related.members[related.range(ofOwnerAt: ownerIndex)])
                    members[index].append((relationship, ids))
                }
            }
        }
        return batch.rowIndices.compactMap { index in
            let row = batch[row: index]
            return layouts.layout(of: row.entity).map {
                Object(row: row, layout: $0, members: members[index])
            }
        }
    }
}

extension StoreSnapshot {
    /// Returns the IDs that match a plan without sorts, offset and limit.
    fileprivate func allIDs(_ plan: FetchPlan) throws(StoreError) -> [ObjectID] {
        let cursor = try cursor(plan)
        var ids: [ObjectID] = []
        while let batch = try cursor.next(atMost: 10_000) { ids += batch.ids }
        return ids
    }
}

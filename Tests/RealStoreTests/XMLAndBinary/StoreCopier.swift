import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

/// Copies the content of a store into another, empty store in a single save, and keeps the keys.
struct StoreCopier {
    let source: any PersistentStore
    let target: any PersistentStore

    func copy() throws {
        let snapshot = try source.snapshot()
        var rows: [Row] = []
        for entity in source.request.model.entities where entity.superentity == nil {
            let cursor = try snapshot.cursor(FetchPlan(entity: entity))
            while let batch = try cursor.next(atMost: 500) { rows += batch.rows }
        }
        let request = SaveRequest(
            inserted: try moved(rows, snapshot), pairs: try pairs(of: rows, snapshot))
        let transaction = try target.beginSave()
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    /// Returns the rows as they should be in the other store, with external data included in the rows.
    private func moved(_ rows: [Row], _ snapshot: any StoreSnapshot) throws -> RowBatch {
        var writer = RowWriter(store: target.number)
        for row in rows {
            let layout = try #require(source.request.layouts.layout(of: row.entity))
            let outside = layout.slots.filter { slot in
                guard slot.kind == .externalBinary, !row.isNull(slot) else { return false }
                if case .reference = row.externalBinary(slot) { return true }
                return false
            }
            guard !outside.isEmpty else {
                writer.append(copyOf: row)
                continue
            }
            writer.begin(layout, key: row.key, version: row.version)
            for slot in layout.slots {
                var value = row.value(slot)
                if slot.kind == .externalBinary, !row.isNull(slot),
                    case .reference(let reference) = row.externalBinary(slot)
                {
                    value = .binary(try snapshot.externalData(reference))
                }
                try writer.set(value, at: slot, of: layout)
            }
            writer.endRow()
        }
        return writer.takeBatch()
    }

    private struct Pair: Hashable {
        let owner: ObjectID
        let member: ObjectID
    }

    private func pairs(of rows: [Row], _ snapshot: any StoreSnapshot) throws -> [PairChange] {
        var changes: [PairChange] = []
        let properties = source.request.model.entities.flatMap(\.ownProperties)
        for case .relationship(let relationship) in properties
        where relationship.isToMany && !relationship.isTransient {
            guard relationship.isManyToMany ? relationship.ownsPairs : relationship.isOrdered
            else { continue }
            let inverse = relationship.isManyToMany ? relationship.inverse : nil
            let backward = try inverse.map { try orderKeys($0, rows, snapshot) } ?? [:]
            for (pair, orderKey) in try orderKeys(relationship, rows, snapshot) {
                changes.append(
                    PairChange(
                        .insert, relationship, owner: id(pair.owner), member: id(pair.member),
                        orderKey: orderKey,
                        inverseOrderKey: backward[Pair(owner: pair.member, member: pair.owner)]
                            ?? nil))
            }
        }
        return changes
    }

    /// Returns the pairs of a to-many relationship with the members' order keys. The order keys are `nil` if
    /// the relationship is unordered.
    private func orderKeys(
        _ relationship: Relationship, _ rows: [Row], _ snapshot: any StoreSnapshot
    ) throws -> [Pair: Int64?] {
        let numbers = relationship.entity.hierarchyNumbers
        let owners = rows.filter { numbers.contains($0.entity) }.map(\.id)
        let related = try snapshot.relatedIDs(relationship, of: owners)
        var orderKeys: [Pair: Int64?] = [:]
        for (index, owner) in owners.enumerated() {
            for memberIndex in related.range(ofOwnerAt: index) {
                let pair = Pair(owner: owner, member: related.members[memberIndex])
                orderKeys[pair] = .some(
                    relationship.isOrdered ? related.orderKeys[memberIndex] : nil)
            }
        }
        return orderKeys
    }

    private func id(_ id: ObjectID) -> ObjectID {
        ObjectID(
            store: target.number, rootEntity: id.rootEntity, entity: id.entity, key: id.key)
    }
}

import CairnModel
import CairnStore
import Foundation

/// What a state of a store holds, in the form in which another store saves it.
struct CopiedContents {
    let snapshot: any StoreSnapshot
    let layouts: RowLayouts
    /// The store that saves it.
    let store: StoreNumber
    /// Whether a value whose file is missing becomes nil.
    var allowsMissingExternalData = false

    // MARK: Rows

    /// Returns a save of rows from `next` on, and moves `next` behind the last of them.
    ///
    /// Bytes that a row keeps in a file come with it; so one batch may make several saves.
    ///
    /// - Parameter missing: gets the values that become nil because their files are missing.
    /// - Throws: `.corrupt` for a row of no entity; `.unsupportedValue` where a row would be too
    ///   large; what the snapshot throws.
    func request(
        for rows: RowBatch, from next: inout Int, noting missing: inout [MissingExternalValue]
    ) throws(StoreError) -> SaveRequest {
        var writer = RowWriter(store: store)
        var request = SaveRequest()
        var byteCount = 0
        while next < rows.count, byteCount < BatchSize.byteCount {
            let row = rows[row: next]
            byteCount += try append(row, to: &writer, noting: &missing)
            request.pairs += unplacedMembers(row)
            next += 1
        }
        request.inserted = writer.takeBatch()
        return request
    }

    /// Returns how many bytes the row takes.
    private func append(
        _ row: Row, to writer: inout RowWriter, noting missing: inout [MissingExternalValue]
    ) throws(StoreError) -> Int {
        let layout = try layout(of: row)
        let values = try externalValues(of: row, layout, noting: &missing)
        // A row that a program wrote with SQL may have no version; stores count from 1.
        if values.isEmpty, row.version > 0 {
            writer.append(copyOf: row)
            return row.byteCount
        }
        do throws(RowError) {
            writer.begin(layout, key: row.key, version: max(row.version, 1))
            for slot in layout.slots {
                if let value = values[slot.index] {
                    if let value { try writer.set(.inline(value), at: slot) }
                } else {
                    try writer.set(slot, from: row)
                }
            }
            writer.endRow()
        } catch {
            throw .unsupportedValue(
                entity: layout.entity.name, attribute: error.property,
                reason: "its row would be larger than 2 GiB")
        }
        return row.byteCount + values.values.reduce(0) { $0 + ($1?.count ?? 0) }
    }

    private func layout(of row: Row) throws(StoreError) -> RowLayout {
        if let layout = layouts.layout(of: row.entity) { return layout }
        throw .corrupt(
            StoreLocation.memory("a copy"), place: "the row of key \(row.key)",
            detail: "the model has no entity of number \(row.entity.rawValue)")
    }

    /// The values that the row keeps elsewhere, by slot number; nil for one whose file is missing.
    private func externalValues(
        of row: Row, _ layout: RowLayout, noting missing: inout [MissingExternalValue]
    ) throws(StoreError) -> [UInt16: Data?] {
        var values: [UInt16: Data?] = [:]
        for (property, slot) in zip(layout.properties, layout.slots)
        where slot.kind == .externalBinary && !row.isNull(slot) {
            guard case .reference(let reference) = row.externalBinary(slot) else { continue }
            do throws(StoreError) {
                values[slot.index] = try snapshot.externalData(reference)
            } catch {
                guard allowsMissingExternalData, case .externalDataMissing(_, let path) = error
                else { throw error }
                values.updateValue(nil, forKey: slot.index)
                missing.append(
                    MissingExternalValue(
                        entity: layout.entity.name, key: row.key, attribute: property.name,
                        path: path))
            }
        }
        return values
    }

    /// Says for each ordered relationship whose member the row is that its place comes later: a
    /// store that is told nothing looks for the last place among all members.
    private func unplacedMembers(_ row: Row) -> [PairChange] {
        guard let layout = layouts.layout(of: row.entity) else { return [] }
        return zip(layout.properties, layout.slots).compactMap { property, slot in
            guard case .relationship(let toOne) = property, let inverse = toOne.inverse,
                inverse.isToMany, inverse.isOrdered, !row.isNull(slot)
            else { return nil }
            return PairChange(
                .insert, inverse, owner: moved(row.objectID(slot)), member: moved(row.id))
        }
    }

    // MARK: Pairs

    /// Returns the pairs of the owners, or the places of their members, as new ones.
    ///
    /// - Throws: what the snapshot throws.
    func pairs(
        of relationship: Relationship, owners: [ObjectID]
    ) throws(StoreError) -> [PairChange] {
        var changes: [PairChange] = []
        try forEachPair(of: relationship, owners) { owner, member, orderKey in
            changes.append(
                PairChange(.insert, relationship, owner: owner, member: member, orderKey: orderKey))
        }
        return changes
    }

    /// Returns the places that pairs of a many-to-many have seen from its other side.
    ///
    /// - Parameter inverse: the side that does not own the pairs.
    /// - Throws: what the snapshot throws.
    func places(
        _ inverse: Relationship, of members: [ObjectID]
    ) throws(StoreError) -> [PairChange] {
        guard let relationship = inverse.inverse else { return [] }
        var changes: [PairChange] = []
        try forEachPair(of: inverse, members) { member, owner, orderKey in
            changes.append(
                PairChange(
                    .reorder, relationship, owner: owner, member: member,
                    inverseOrderKey: orderKey))
        }
        return changes
    }

    private func forEachPair(
        of relationship: Relationship, _ ids: [ObjectID],
        _ body: (_ near: ObjectID, _ far: ObjectID, _ orderKey: Int64?) -> Void
    ) throws(StoreError) {
        let related = try snapshot.relatedIDs(relationship, of: ids)
        for (index, id) in ids.enumerated() where index < related.count {
            for place in related.range(ofOwnerAt: index) {
                let orderKey =
                    related.orderKeys.indices.contains(place) ? related.orderKeys[place] : nil
                body(moved(id), moved(related.members[place]), orderKey)
            }
        }
    }

    /// The ID of the same object in the store that saves it.
    private func moved(_ id: ObjectID) -> ObjectID {
        ObjectID(store: store, rootEntity: id.rootEntity, entity: id.entity, key: id.key)
    }
}

extension RowError {
    fileprivate var property: String {
        switch self {
        case .wrongType(_, let property, _), .tooLarge(_, let property): property
        }
    }
}

import CairnModel
import CairnRows
import CairnStore

/// A save that a rule builds.
package struct SaveDraft {
    private let subject: StoreSubject
    private let transaction: any SaveTransaction
    /// The request that is prepared when the draft is complete. Methods of the draft add to it; rules may
    /// also change it directly.
    package var request = SaveRequest()

    init(_ subject: StoreSubject, _ transaction: any SaveTransaction) {
        self.subject = subject
        self.transaction = transaction
    }

    /// Adds a new object with a key that is reserved for it.
    @discardableResult
    package mutating func insert(
        _ entity: String, _ values: [String: Value] = [:]
    ) throws -> ObjectID {
        let ids = try insertAll(entity, [values])
        return try requireValue(ids.first, "the ID of the new object")
    }

    /// Adds a new object for each element of `values`, with keys that are reserved in one call.
    @discardableResult
    package mutating func insertAll(
        _ entity: String, _ values: [[String: Value]]
    ) throws -> [ObjectID] {
        guard !values.isEmpty else { return [] }
        let root = try subject.entity(entity).rootEntity.number
        let keys = try requireValue(
            try transaction.reserveKeys([root: values.count])[root], "keys reserved for \(entity)")
        try requireEqual(keys.count, values.count, "the number of reserved keys")
        let rows = try zip(keys, values).map { try subject.row(entity, $0, $1) }
        request.inserted.append(RowBatch(rows))
        return rows.map(\.id)
    }

    /// Adds a new version of an object. Attributes without an element in `values` become nil.
    package mutating func update(
        _ entity: String, _ id: ObjectID, from version: Int64 = 1, _ values: [String: Value] = [:]
    ) throws {
        let row = try subject.row(entity, id.key, version: version + 1, values)
        var slots = SlotSet()
        for slot in 0..<(try subject.entity(entity)).rowSlotCount { slots.insert(slot) }
        request.updated.append(
            RowUpdate(row: row, previousVersion: version, changedSlots: slots))
    }

    /// Adds an update without changed values, for an object with changes only of its pairs.
    package mutating func touch(
        _ entity: String, _ id: ObjectID, from version: Int64, _ values: [String: Value] = [:]
    ) throws {
        let row = try subject.row(entity, id.key, version: version + 1, values)
        request.updated.append(
            RowUpdate(row: row, previousVersion: version, changedSlots: SlotSet()))
    }

    /// Adds the deletion of an object.
    package mutating func delete(_ id: ObjectID, from version: Int64 = 1) {
        request.deleted.append(RowDeletion(id: id, previousVersion: version))
    }

    /// Adds a change of a pair. The change is always expressed from the side that owns the pairs,
    /// whichever side is given.
    package mutating func pair(
        _ kind: PairChange.Kind, _ entity: String, _ name: String, _ owner: ObjectID,
        _ member: ObjectID, order: Int64? = nil, inverseOrder: Int64? = nil
    ) throws {
        let relationship = try subject.relationship(entity, name)
        if relationship.isManyToMany, !relationship.ownsPairs,
            let inverse = relationship.inverse
        {
            request.pairs.append(
                PairChange(
                    kind, inverse, owner: member, member: owner, orderKey: inverseOrder,
                    inverseOrderKey: order))
        } else {
            request.pairs.append(
                PairChange(
                    kind, relationship, owner: owner, member: member, orderKey: order,
                    inverseOrderKey: inverseOrder))
        }
    }
}

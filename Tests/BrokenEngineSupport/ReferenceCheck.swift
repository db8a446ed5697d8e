import CairnModel
import CairnRows
import CairnStore

/// The references that a save would break, as an engine finds them that checks references itself.
struct ReferenceCheck {
    private let request: SaveRequest
    private let layouts: RowLayouts
    /// The state that the save changes.
    private let snapshot: any StoreSnapshot
    private let deleted: Set<ObjectID>
    /// The rows that the save writes, each with the slots that it changes.
    private let written: [ObjectID: (row: Row, slots: SlotSet?)]
    private var found: [ReferenceConflict] = []

    /// Returns the conflicts, or an empty array if the save breaks no reference.
    static func conflicts(
        of request: SaveRequest, in store: any PersistentStore
    ) throws(StoreError) -> [ReferenceConflict] {
        var check = ReferenceCheck(request, store.request.layouts, try store.snapshot())
        try check.checkWrittenRows()
        try check.checkDeletions()
        return check.found
    }

    private init(_ request: SaveRequest, _ layouts: RowLayouts, _ snapshot: any StoreSnapshot) {
        self.request = request
        self.layouts = layouts
        self.snapshot = snapshot
        deleted = Set(request.deleted.map(\.id))
        var written: [ObjectID: (row: Row, slots: SlotSet?)] = [:]
        for row in request.inserted.rows { written[row.id] = (row, nil) }
        for update in request.updated { written[update.row.id] = (update.row, update.changedSlots) }
        self.written = written
    }

    private mutating func report(
        _ reason: ReferenceConflict.Reason, _ object: ObjectID, _ relationship: Relationship,
        _ member: ObjectID
    ) {
        found.append(
            ReferenceConflict(
                reason, object: object, entity: relationship.entity.name,
                relationship: relationship.name, members: [member]))
    }

    private mutating func checkWrittenRows() throws(StoreError) {
        for (id, change) in written {
            for relationship in checked(change.row.entity) where !relationship.isToMany {
                guard changes(relationship, of: id), let inverse = relationship.inverse else {
                    continue
                }
                let destination = destination(relationship, of: change.row)
                if let destination, deleted.contains(destination) {
                    if inverse.deleteRule != .noAction {
                        report(.deleted, destination, inverse, id)
                    }
                } else if let destination, try row(of: destination) == nil {
                    report(.missing, destination, inverse, id)
                } else if let destination, try !leads(inverse, from: destination, to: id) {
                    report(.oneSided, destination, inverse, id)
                }
                // The former partner must have let go.
                let former = try stored(id).flatMap { self.destination(relationship, of: $0) }
                if let former, former != destination, !inverse.isToMany, !deleted.contains(former),
                    try leads(inverse, from: former, to: id)
                {
                    report(.oneSided, id, relationship, former)
                }
            }
        }
    }

    private mutating func checkDeletions() throws(StoreError) {
        for id in request.deleted.map(\.id) {
            guard let row = try stored(id) else { continue }
            for relationship in checked(row.entity) where relationship.deleteRule != .noAction {
                guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
                let members =
                    relationship.isToMany
                    ? try snapshot.relatedIDs(relationship, of: [id]).members
                    : destination(relationship, of: row).map { [$0] } ?? []
                // A reference that the save writes is checked above.
                for member in members
                where !deleted.contains(member) && !changes(inverse, of: member) {
                    if try leads(inverse, from: member, to: id) {
                        report(.deleted, id, relationship, member)
                    }
                }
            }
        }
    }

    /// Returns the stored relationships of an entity that have an inverse. Pairs need no check.
    private func checked(_ entity: EntityNumber) -> [Relationship] {
        (layouts.layout(of: entity)?.entity.relationships ?? []).filter {
            guard let inverse = $0.inverse, !$0.isTransient else { return false }
            return !$0.isToMany || !inverse.isToMany
        }
    }

    /// Returns whether the save writes a to-one relationship of the object.
    private func changes(_ relationship: Relationship, of id: ObjectID) -> Bool {
        guard let change = written[id], let slot = slot(relationship, change.row) else {
            return false
        }
        return change.slots?.contains(Int(slot.index)) ?? true
    }

    /// Returns whether the relationship of an object leads to another object after the save. To-many
    /// relationships follow from the rows of their members.
    private func leads(
        _ relationship: Relationship, from id: ObjectID, to other: ObjectID
    ) throws(StoreError) -> Bool {
        if relationship.isToMany { return true }
        return try row(of: id).flatMap { destination(relationship, of: $0) } == other
    }

    private func row(of id: ObjectID) throws(StoreError) -> Row? {
        if let change = written[id] { return change.row }
        return try stored(id)
    }

    private func stored(_ id: ObjectID) throws(StoreError) -> Row? { try snapshot.row(for: id) }

    private func slot(_ relationship: Relationship, _ row: Row) -> RowLayout.Slot? {
        layouts.layout(of: row.entity)?.slot(named: relationship.name)
    }

    private func destination(_ relationship: Relationship, of row: Row) -> ObjectID? {
        guard let slot = slot(relationship, row), case .objectID(let id) = row.value(slot)
        else { return nil }
        return id
    }
}

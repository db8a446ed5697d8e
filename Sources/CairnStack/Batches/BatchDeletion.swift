import CairnModel
import CairnRows
import CairnStore

/// The deletion of many objects by their rows, with the delete rules of the model.
///
/// Proceeds level by level, without recursion. Notes the ID and the version of each object that is deleted, and the
/// ID of each that loses a destination.
package struct BatchDeletion {
    /// One state of all stores. Rows and members of different states do not belong together: others may have moved a
    /// member to another owner in between.
    package let source: any ObjectSource
    private let appliesRules: Bool
    /// The versions of the objects to delete, in the order in which they were found.
    private let found: BatchContent
    /// The objects to delete, except for those that rules cannot concern.
    private var deleted = IDTable()
    /// Whether rules may concern the objects of a root entity.
    private var ruled: [EntityNumber: Bool] = [:]
    /// The to-one relationships that lose their destination, by object.
    private var nullified: [ObjectID: [Relationship]] = [:]
    /// What deny rules protect unless it is deleted, too.
    private var protected: [(owner: ObjectID, relationship: Relationship, member: ObjectID)] = []

    /// The rules that the deletion would break.
    private var failures: [ValidationFailure] = []

    /// The number of rows that are read at a time.
    private static let rowCount = 4096

    /// Takes a state of the stores, which is released with the deletion.
    ///
    /// - Parameter appliesRules: Whether delete rules are applied. Otherwise, the save fails if it would break a
    ///   reference.
    /// - Throws: the errors of taking snapshots.
    package init(
        in stack: PersistentStoreCoordinator, appliesRules: Bool, keepsIDs: Bool
    ) throws(GraphError) {
        found = BatchContent(stack.layouts, keepsIDs: keepsIDs)
        source = PinnedSource(stack, stack.pin(try stack.snapshots(of: stack.attachedStores)))
        self.appliesRules = appliesRules
    }

    /// Returns the slots that are read of the objects that a plan finds: what the plan reads, and to-one relationships.
    /// Of most tables that is a tenth of the columns.
    package static func slots(of plan: FetchPlan) -> SlotSet {
        var slots = plan.slots(reading: [])
        for entity in plan.entity.hierarchy {
            for case .relationship(let relationship) in entity.properties {
                if let slot = relationship.rowSlot { slots.insert(slot) }
            }
        }
        return slots
    }

    /// Deletes the objects of rows, which ``source`` returned, each once. If others have changed one of them since, the
    /// save has a conflict, because the object may no longer be one that is to be deleted.
    package mutating func delete(_ rows: RowBatch) throws(GraphError) {
        var next: [ObjectID] = []
        for part in Array(rows.rows).parts(of: Self.rowCount) { try delete(part, &next) }
        while !next.isEmpty {
            let level = next
            next = []
            for part in level.parts(of: Self.rowCount) {
                let rows = try source.freshRows(for: part.filter { !deleted.contains($0) })
                try delete(Array(rows.rows), &next)
            }
        }
    }

    /// Returns the changes that delete the objects.
    ///
    /// - Throws: `.validation` if a deny rule or a required inverse forbids a deletion; the errors of the stores.
    package mutating func changes() throws(GraphError) -> BatchContent {
        try nullify()
        noteProtected()
        if !failures.isEmpty { throw .validation(failures) }
        return found
    }

    private mutating func delete(_ rows: [Row], _ next: inout [ObjectID]) throws(GraphError) {
        let rows = rows.filter { !areRuled($0.rootEntity) || deleted.insert($0.id, 0) }
        for row in rows { try found.delete(row.id, version: row.version) }
        if appliesRules { try applyRules(to: rows, &next) }
    }

    /// Returns whether a rule may concern objects of a root entity. Otherwise, nothing has to be known of those that are
    /// deleted.
    private mutating func areRuled(_ root: EntityNumber) -> Bool {
        if !appliesRules { return false }
        if let known = ruled[root] { return known }
        let isRuled = source.layouts.model.entities.contains { entity in
            entity.relationships.contains {
                !$0.isTransient && $0.description.deleteRule != .noAction
                    && (entity.rootEntity.number == root
                        || $0.destination.rootEntity.number == root)
            }
        }
        ruled[root] = isRuled
        return isRuled
    }

    // MARK: Rules

    private mutating func applyRules(
        to rows: [Row], _ next: inout [ObjectID]
    ) throws(GraphError) {
        for (number, rows) in Dictionary(grouping: rows, by: \.entity) {
            guard let layout = source.layouts.layout(of: number) else { continue }
            for case .relationship(let relationship) in layout.entity.properties
            where !relationship.isTransient && relationship.description.deleteRule != .noAction {
                try forEachMember(relationship, of: rows, layout) { owner, member in
                    apply(relationship, owner, member, &next)
                }
            }
        }
    }

    private mutating func apply(
        _ relationship: Relationship, _ owner: ObjectID, _ member: ObjectID,
        _ next: inout [ObjectID]
    ) {
        switch relationship.description.deleteRule {
        case .cascade: next.append(member)
        case .deny: protected.append((owner, relationship, member))
        case .nullify:
            // A store removes the pairs of a deleted object, and members of a to-many inverse need no change.
            guard let inverse = relationship.inverse, !inverse.isToMany else { return }
            nullified[member, default: []].append(inverse)
        case .noAction: break
        }
    }

    private func forEachMember(
        _ relationship: Relationship, of rows: [Row], _ layout: RowLayout,
        _ body: (_ owner: ObjectID, _ member: ObjectID) -> Void
    ) throws(GraphError) {
        guard relationship.isToMany else {
            guard let slot = layout.slot(named: relationship.name) else { return }
            for row in rows where !row.isNull(slot) { body(row.id, row.objectID(slot)) }
            return
        }
        let owners = rows.map(\.id)
        let members = try source.relatedIDs(relationship, of: owners)
        for (index, owner) in owners.enumerated() {
            for position in members.range(ofOwnerAt: index) {
                body(owner, members.members[position])
            }
        }
    }

    private mutating func noteProtected() {
        // One failure for each relationship, as when objects are deleted. Its members follow each other.
        var last: (owner: ObjectID, relationship: Relationship)?
        for (owner, relationship, member) in protected where !deleted.contains(member) {
            if let last, last == (owner, relationship) { continue }
            last = (owner, relationship)
            note(
                ErrorCode.relationshipDenied, owner, relationship,
                "the object cannot be deleted while this relationship (delete rule: deny) leads to"
                    + " \(member); delete that object first, or remove it from the relationship")
        }
    }

    private mutating func note(
        _ code: Int, _ object: ObjectID, _ relationship: Relationship, _ rule: String
    ) {
        failures.append(
            ValidationFailure(
                code: code, object: object, entity: relationship.entity.name,
                property: relationship.name, rule: rule))
    }

    /// Adds the changes of the objects that lose a destination and stay.
    private mutating func nullify() throws(GraphError) {
        let ids = nullified.keys.filter { !deleted.contains($0) }
        for part in ids.sorted(by: { $0.precedes($1) }).parts(of: Self.rowCount) {
            for row in try source.freshRows(for: part).rows { try nullify(row) }
        }
    }

    private mutating func nullify(_ row: Row) throws(GraphError) {
        guard let layout = source.layouts.layout(of: row.entity) else { return }
        var lost: [RowLayout.Slot] = []
        for relationship in nullified[row.id] ?? [] {
            guard let slot = layout.slot(named: relationship.name), !row.isNull(slot),
                deleted.contains(row.objectID(slot)),
                !lost.contains(where: { $0.index == slot.index })
            else { continue }
            if !relationship.description.isOptional {
                note(
                    ErrorCode.missingValue, row.id, relationship,
                    "a destination is required, but the batch deletes \(row.objectID(slot)); delete this"
                        + " object, too, or give it another destination first")
            }
            lost.append(slot)
        }
        if lost.isEmpty { return }
        var writer = RowWriter(store: row.id.store, rowCount: 1)
        writer.begin(layout, key: row.id.key, version: row.version &+ 1)
        do {
            for slot in layout.slots where !lost.contains(where: { $0.index == slot.index }) {
                try writer.set(slot, from: row)
            }
        } catch {
            throw GraphError(error)
        }
        writer.endRow()
        if let changed = writer.takeRow() {
            var slots = SlotSet()
            for slot in lost { slots.insert(Int(slot.index)) }
            try found.update(changed, slots)
        }
    }
}

extension Array {
    /// Returns the elements in arrays of at most `count`.
    package func parts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map {
            Array(self[$0..<Swift.min($0 + count, self.count)])
        }
    }
}

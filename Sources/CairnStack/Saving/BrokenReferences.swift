import CairnModel
import CairnRows
import CairnStore

/// Finds the references that one store's part of a save would break.
///
/// The part was prepared without row conflicts, and the store's write lock is held, so the newest state is
/// the state that the save changes. What others saved since the context read its objects is in that state:
///
/// - Objects that refer to an object that the save deletes.
/// - An object that the save refers to, and that others deleted.
/// - In a one-to-one relationship, an object that still refers to an object that now refers to another.
/// - An object that must have members, and that loses the last of them.
///
/// References that the save does not change are not checked, and neither are relationships without an
/// inverse and the members of a relationship whose delete rule is noAction. See
/// `docs/decisions/saving-and-conflicts.md`.
struct BrokenReferences {
    let rules: ReferenceRules
    let stored: StoredRows
    var found = ReferenceConflictList()

    var request: SaveRequest { stored.request }

    init(_ rules: ReferenceRules, in stored: StoredRows) {
        self.rules = rules
        self.stored = stored
    }

    /// Returns the conflicts, or an empty array if every reference stays intact.
    ///
    /// - Throws: The errors of reading from the store.
    mutating func conflicts() throws(StoreError) -> [ReferenceConflict] {
        defer { stored.end() }
        try checkDestinations()
        try checkPartners()
        try checkDeletions()
        try checkMinimums()
        return found.conflicts
    }

    // MARK: References that the save writes

    /// Checks that the objects exist that to-one relationships with a to-many inverse lead to. Each object
    /// is looked up once. The members are searched for only if an object is not there.
    private mutating func checkDestinations() throws(StoreError) {
        var destinations: [ObjectID] = []
        let store = stored.store
        // Many objects usually lead to few, so most destinations are found among the recent ones. The usual save
        // of a few objects needs neither these nor a table.
        let isLarge = request.inserted.count + request.updated.count > 16
        var seen = IDTable()
        var recent = ContiguousArray<ObjectID?>(repeating: nil, count: isLarge ? 256 : 0)
        forEachReference(isOneToOne: false) { _, row, _, slot in
            if row.isNull(slot) { return }
            let destination = row.objectID(slot, in: store)
            if isLarge {
                let index = Int(truncatingIfNeeded: destination.key) & 255
                if recent[index] == destination { return }
                recent[index] = destination
                guard seen.insert(destination, 0) else { return }
            } else if destinations.contains(destination) {
                return
            }
            destinations.append(destination)
        }
        if destinations.isEmpty { return }
        let missing = IDTable(try stored.missing(of: destinations))
        let areDeleted =
            !stored.deleted.isEmpty && destinations.contains(where: stored.deleted.contains)
        if missing.isEmpty, !areDeleted { return }
        var broken: [Written] = []
        forEachReference(isOneToOne: false) { source, row, index, slot in
            if row.isNull(slot) { return }
            let destination = row.objectID(slot, in: store)
            if missing.contains(destination) || stored.deleted.contains(destination) {
                let reference = rules.references(of: row.entity)[index]
                broken.append(Written(self.row(source), destination, reference))
            }
        }
        for it in broken where try !isUnchanged(it) {
            let inverse = it.reference.inverse
            if missing.contains(it.destination) {
                found.report(.missing, it.destination, inverse, it.row.id)
            } else if inverse.deleteRule != .noAction {
                found.report(.deleted, it.destination, inverse, it.row.id)
            }
        }
    }

    /// A to-one relationship that the save sets.
    private struct Written {
        let row: Row
        let destination: ObjectID
        let reference: ReferenceRules.Reference

        init(_ row: Row, _ destination: ObjectID, _ reference: ReferenceRules.Reference) {
            (self.row, self.destination, self.reference) = (row, destination, reference)
        }
    }

    /// Returns whether the store contains the reference already, so that the save does not break it.
    private func isUnchanged(_ written: Written) throws(StoreError) -> Bool {
        guard stored.isUpdated(written.row.id),
            let former = try stored.formerRow(of: written.row.id)
        else { return false }
        let slot = written.reference.slot
        return !former.isNull(slot) && former.objectID(slot) == written.destination
            && !stored.deleted.contains(written.destination)
    }

    /// Where a row of the save is.
    private enum Source {
        case inserted(Int)
        case updated(Int)
    }

    private func row(_ source: Source) -> Row {
        switch source {
        case .inserted(let index): request.inserted[row: index]
        case .updated(let index): request.updated[index].row
        }
    }

    /// Calls a closure with the row, the index of the reference and its slot, for each to-one relationship
    /// that the save sets or leaves `nil`. All rows of a save pass through here, so it creates no `Row` and no
    /// `Reference` values, which would count references.
    private func forEachReference(
        isOneToOne: Bool, _ body: (Source, RowPointer, Int, RowLayout.Slot) -> Void
    ) {
        let (inserted, updated) = (request.inserted, request.updated)
        var (entity, marks) = (EntityNumber(0), [ReferenceRules.Mark]())
        for index in inserted.rowIndices {
            let row = inserted.pointer(at: index)
            if row.entity != entity { (entity, marks) = (row.entity, rules.marks(of: row.entity)) }
            for number in marks.indices where marks[number].isOneToOne == isOneToOne {
                body(.inserted(index), row, number, marks[number].slot)
            }
        }
        for index in updated.indices {
            let row = updated[index].row.pointer
            if row.entity != entity { (entity, marks) = (row.entity, rules.marks(of: row.entity)) }
            for number in marks.indices
            where marks[number].isOneToOne == isOneToOne
                && updated[index].changedSlots.contains(Int(marks[number].slot.index))
            {
                body(.updated(index), row, number, marks[number].slot)
            }
        }
    }

    // MARK: One-to-one relationships

    /// A one-to-one relationship that the save sets.
    private struct Partner {
        let row: Row
        let reference: ReferenceRules.Reference
        /// Whether the object is in the store, so that it may have had another partner.
        let isUpdate: Bool

        var id: ObjectID? { row.isNull(reference.slot) ? nil : row.objectID(reference.slot) }
    }

    private mutating func checkPartners() throws(StoreError) {
        let partners = writtenPartners()
        guard !partners.isEmpty else { return }
        try stored.readFormer(partners.filter(\.isUpdate).map(\.row.id))
        var former: [ObjectID?] = []
        for it in partners {
            let row = it.isUpdate ? try stored.formerRow(of: it.row.id) : nil
            let slot = it.reference.slot
            former.append(row.flatMap { $0.isNull(slot) ? nil : $0.objectID(slot) })
        }
        try stored.read(partners.compactMap(\.id) + former.compactMap(\.self))
        for (it, former) in zip(partners, former) {
            // What the store contains already is not broken by this save.
            if let partner = it.id, partner != former { try check(it, leadingTo: partner) }
            // The former partner must have let go.
            if let former, former != it.id,
                try leadsBack(from: former, it.reference.inverse, to: it.row.id)
            {
                found.report(.oneSided, it.row.id, it.reference.relationship, former)
            }
        }
    }

    private func writtenPartners() -> [Partner] {
        var partners: [Partner] = []
        guard rules.hasOneToOne else { return partners }
        forEachReference(isOneToOne: true) { source, row, index, slot in
            var isUpdate = false
            if case .updated = source { isUpdate = true }
            if !isUpdate, row.isNull(slot) { return }
            let reference = rules.references(of: row.entity)[index]
            partners.append(
                Partner(row: self.row(source), reference: reference, isUpdate: isUpdate))
        }
        return partners
    }

    private mutating func check(_ it: Partner, leadingTo partner: ObjectID) throws(StoreError) {
        let inverse = it.reference.inverse
        if stored.deleted.contains(partner) {
            if inverse.deleteRule != .noAction {
                found.report(.deleted, partner, inverse, it.row.id)
            }
        } else if try stored.row(of: partner) == nil {
            found.report(.missing, partner, inverse, it.row.id)
        } else if try !leadsBack(from: partner, inverse, to: it.row.id) {
            found.report(.oneSided, partner, inverse, it.row.id)
        }
    }

    /// Returns whether the object's to-one relationship leads to another object after the save.
    private func leadsBack(
        from id: ObjectID, _ relationship: Relationship, to other: ObjectID
    ) throws(StoreError) -> Bool {
        guard let row = try stored.row(of: id),
            let slot = rules.references(of: row.entity).first(where: {
                $0.relationship.name == relationship.name
            })?.slot
        else { return false }
        return !row.isNull(slot) && row.objectID(slot) == other
    }

    // MARK: References to deleted objects

    private mutating func checkDeletions() throws(StoreError) {
        var questions: [RelatedQuestion] = []
        for (entity, ids) in deletedDestinations() {
            try checkPartners(of: ids, entity)
            for relationship in rules.memberships(of: entity)
            where relationship.deleteRule != .noAction {
                questions.append(RelatedQuestion(relationship, of: ids))
            }
        }
        guard !questions.isEmpty else { return }
        for (question, related) in zip(questions, try stored.remaining(questions)) {
            try check(related, of: question)
        }
    }

    /// Returns the deleted objects that other objects may refer to, by entity. A cascade usually deletes many
    /// more objects, to which none refer.
    private func deletedDestinations() -> [(EntityNumber, [ObjectID])] {
        var destinations: [EntityNumber: [ObjectID]] = [:]
        var (entity, isDestination) = (EntityNumber(0), false)
        for deletion in request.deleted {
            if deletion.id.entity != entity {
                entity = deletion.id.entity
                isDestination =
                    !rules.memberships(of: entity).isEmpty
                    || rules.references(of: entity).contains(where: \.isOneToOne)
            }
            if isDestination { destinations[entity, default: []].append(deletion.id) }
        }
        return destinations.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private mutating func check(
        _ related: RelatedIDs, of question: RelatedQuestion
    ) throws(StoreError) {
        guard let inverse = question.relationship.inverse, !related.members.isEmpty else { return }
        for (index, owner) in question.owners.enumerated() {
            for member in related.members[related.range(ofOwnerAt: index)]
            where !stored.deleted.contains(member) {
                // An updated member may lead elsewhere now. Others are as they were.
                if stored.isUpdated(member), try !leadsBack(from: member, inverse, to: owner) {
                    continue
                }
                found.report(.deleted, owner, question.relationship, member)
            }
        }
    }

    /// Checks that the partners of deleted objects in one-to-one relationships have let go.
    private mutating func checkPartners(
        of ids: [ObjectID], _ entity: EntityNumber
    ) throws(StoreError) {
        let references = rules.references(of: entity).filter {
            $0.isOneToOne && $0.relationship.deleteRule != .noAction
        }
        guard !references.isEmpty else { return }
        try stored.readFormer(ids)
        var partners: [(owner: ObjectID, reference: ReferenceRules.Reference, id: ObjectID)] = []
        for id in ids {
            guard let row = try stored.formerRow(of: id) else { continue }
            for reference in references where !row.isNull(reference.slot) {
                partners.append((id, reference, row.objectID(reference.slot)))
            }
        }
        try stored.read(partners.map(\.id))
        for (owner, reference, id) in partners where !stored.deleted.contains(id) {
            if try leadsBack(from: id, reference.inverse, to: owner) {
                found.report(.deleted, owner, reference.relationship, id)
            }
        }
    }
}

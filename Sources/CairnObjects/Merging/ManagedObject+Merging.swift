import CairnModel
import CairnRows
import CairnStack

extension ManagedObject {
    /// Returns the value in a row. A value that is stored outside the row is returned as a reference,
    /// which is sufficient for comparing rows.
    final func raw(_ slot: RowLayout.Slot, in row: Row) -> Value {
        guard slot.kind == .toOne, !row.isNull(slot), let owner else { return row.value(slot) }
        return .objectID(owner.currentID(row.objectID(slot)))
    }

    /// Replaces the stored values by those of a newer row, and keeps the changes.
    ///
    /// If the destination of a to-one relationship differs in the newer row, the relationships at the
    /// former and the new destination are fetched again when they are needed.
    final func rebase(on row: Row) {
        let former = self.row
        for binding in kind.relationships {
            guard !binding.isToMany, let slot = binding.storage.rowSlot else { continue }
            let layoutSlot = kind.layout[slot]
            let before = former.map { raw(layoutSlot, in: $0) } ?? .null
            let after = raw(layoutSlot, in: row)
            if before != after { forgetMembers(binding.inverse, at: [before, after]) }
        }
        change(properties(changedBy: row, keepingChanges: true)) {
            self.row = row
            if let overlay {
                for slot in overlay.dirty
                where overlay.value(at: slot) == raw(kind.layout[slot], in: row) {
                    overlay.set(nil, at: slot, slotCount: kind.layout.slots.count)
                }
            }
            readsRow = overlay?.dirty.isEmpty ?? true
        }
        forgetStoredMembers()
    }

    /// Makes sure that the object's to-many relationships are fetched again. Keeps their changes.
    final func forgetStoredMembers() {
        guard let overlay else { return }
        change(toManyProperties) {
            overlay.updateAllMembers { $0.turnIntoFault(keepingChanges: true) }
        }
    }

    /// Makes sure that the relationships at the other ends of the object's relationships are fetched again.
    final func forgetMembersElsewhere() {
        for binding in kind.relationships {
            guard let inverse = binding.inverse, inverse.isToMany else { continue }
            if binding.isToMany {
                forgetMembers(inverse, at: knownMembers(binding).current.map(Value.objectID))
            } else if row != nil || overlay != nil,
                let slot = binding.storage.rowSlot, let row
            {
                let own = overlay?.value(at: slot) ?? .null
                forgetMembers(inverse, at: [raw(kind.layout[slot], in: row), own])
            }
        }
    }

    private final func forgetMembers(_ inverse: RelationshipBinding?, at destinations: [Value]) {
        guard let inverse, inverse.isToMany, let slot = inverse.storage.objectSlot, let owner
        else { return }
        for case .objectID(let id) in destinations {
            guard let other = owner.identityMap[id], !other.isInserted else { continue }
            other.change([inverse.storage]) {
                other.overlay?.updateMembers(at: slot) { $0.turnIntoFault(keepingChanges: true) }
            }
        }
    }

    /// Turns an object whose row is gone into one that the next save inserts, with its former ID.
    ///
    /// The known members of its many-to-many relationships are stored again.
    final func restoreInserted() throws(GraphError) {
        var values = ContiguousArray<Value>()
        for slot in kind.layout.rowSlots {
            values.append(row == nil && overlay == nil ? .null : try value(at: slot))
        }
        let members = kind.relationships.filter(\.isToMany).map { ($0, knownMembers($0).current) }
        row = nil
        readsRow = false
        state.insert(.inserted)
        overlay = nil
        let overlay = writableOverlay
        overlay.setAll(PerSlot(values))
        for (binding, ids) in members {
            guard let slot = binding.storage.objectSlot else { continue }
            overlay.updateMembers(at: slot) { known in
                for id in ids { known.apply(.add(id, keepsOrder: binding.isOrdered)) }
            }
        }
    }
}

import CairnModel
import CairnStore

extension ManagedObject {
    /// The current values of the attributes and to-ones that were changed since the last event, by
    /// name; of an object that is new since then, all that are not nil. Of a to-one the
    /// destination's ID.
    ///
    /// Empty after the event's end, though the changes may be unsaved; see ``changedValues()``.
    public final func changedValuesForCurrentEvent() -> [String: Value] {
        checkTurn()
        guard let owner, !state.isDisjoint(with: [.touched, .touchedBefore]) else { return [:] }
        if state.contains(.newborn) { return changedValues() }
        var changed: [String: Value] = [:]
        for (slot, _, value) in owner.events.journal.valueChanges(of: self, overlay: overlay) {
            changed[kind.layout.property(at: slot).name] = value
        }
        return changed
    }
}

extension MutationJournal {
    /// The row slots that differ from what they were before the event, with both values.
    ///
    /// - Parameter overlay: the object's, or the one that it had when the context let go of it.
    func valueChanges(
        of object: ManagedObject, overlay: Overlay?
    ) -> [(slot: RowSlot, before: Value, after: Value)] {
        let former = formerChanges(of: object)
        // Others have the row's value before and after.
        var slots = overlay?.dirty ?? RowSlotSet()
        if let former { slots.formUnion(former.slots) }
        return slots.compactMap { slot in
            let (old, new) = (former?[slot], overlay?.value(at: slot))
            // The ID of a destination may have been replaced meanwhile.
            let stored = old ?? object.rowValue(at: slot)
            guard
                let before = stored?.replacingID({ id in object.owner?.currentID(id) ?? id }),
                let after = new ?? object.rowValue(at: slot), before != after
            else { return nil }
            return (slot, before, after)
        }
    }
}

extension ManagedObject {
    /// Returns the value of the row. Returns `nil` if there is no row, or the store cannot be read.
    fileprivate final func rowValue(at slot: RowSlot) -> Value? {
        guard let row else { return nil }
        do throws(GraphError) {
            return try storedValue(at: slot, in: row)
        } catch {
            report(error)
            return nil
        }
    }
}

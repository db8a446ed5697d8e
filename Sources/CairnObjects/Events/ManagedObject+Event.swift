import CairnModel
import CairnStack

extension ManagedObject {
    /// Returns the current values of the attributes and to-one relationships that were changed since the
    /// last event, by name. The value of a to-one relationship is the destination's ID. For an object
    /// that is new since the last event, returns all values that are not null.
    ///
    /// Returns an empty dictionary after the event has ended, even if there are unsaved changes; see
    /// ``changedValues()``.
    public final func changedValuesForCurrentEvent() -> [String: Value] {
        checkTurn()
        guard let owner, !state.isDisjoint(with: [.touched, .touchedBefore]) else { return [:] }
        if state.contains(.insertedInEvent) { return changedValues() }
        var changed: [String: Value] = [:]
        for (slot, _, value) in owner.events.journal.valueChanges(of: self, overlay: overlay) {
            changed[kind.layout.property(at: slot).name] = value
        }
        return changed
    }
}

extension MutationJournal {
    /// Returns the row slots whose values differ from those before the event, with both values.
    ///
    /// - Parameter overlay: The object's overlay, or the overlay that the object had when it left the
    ///   context.
    func valueChanges(
        of object: ManagedObject, overlay: Overlay?
    ) -> [(slot: RowSlot, before: Value, after: Value)] {
        let former = formerChanges(of: object)
        // Other slots have the row's value both before and after.
        var slots = overlay?.dirty ?? RowSlotSet()
        if let former { slots.formUnion(former.slots) }
        return slots.compactMap { slot in
            let (old, new) = (former?[slot], overlay?.value(at: slot))
            // The ID of a destination may have been replaced in the meantime.
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
    /// Returns the value of the row. Returns `nil` if there is no row or the store cannot be read.
    fileprivate final func rowValue(at slot: RowSlot) -> Value? {
        guard let row else { return nil }
        do {
            return try storedValue(at: slot, in: row)
        } catch {
            report(error)
            return nil
        }
    }
}

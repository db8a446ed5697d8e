import CairnModel
import CairnRows
import CairnStack

/// The information for restoring an object that has left its context.
///
/// A tombstone is created with the record of the event that deleted the object. It is filled before the
/// object leaves the context: when the deletion is saved, or when the object's insertion is undone.
final class Tombstone {
    private var remains: Remains?

    private struct Remains {
        let overlay: Overlay
        let row: Row?
        /// Values that the store keeps outside the row, and may delete with the row.
        var externalValues: [RowSlot: Value] = [:]
        var references = TemporaryReferences()
    }

    /// Whether the tombstone has not been filled.
    var isEmpty: Bool { remains == nil }

    /// The overlay of the object, or `nil` if the tombstone has not been filled.
    var overlay: Overlay? { remains?.overlay }

    /// Fills the tombstone with the current values of the object.
    ///
    /// - Throws: `.store` if a value that is stored outside the row cannot be read.
    func fill(
        from object: ManagedObject, in context: ManagedObjectContext
    ) throws(GraphError) {
        var remains = Remains(overlay: object.writableOverlay, row: object.row)
        if let row = object.row {
            for slot in object.kind.layout.slots where slot.kind == .externalBinary {
                remains.externalValues[slot.rowSlot] =
                    try object.storedValue(at: slot.rowSlot, in: row)
            }
        }
        remains.overlay.forEachID { remains.references.note($0, in: context) }
        self.remains = remains
    }

    /// Gives the object its previous values, as unsaved values, and empties the tombstone. Returns
    /// `false` if the tombstone has not been filled.
    func empty(into object: ManagedObject) -> Bool {
        guard let remains else { return false }
        self.remains = nil
        let overlay = remains.overlay
        overlay.replaceIDs(remains.references.replaced, of: object.kind)
        if let row = remains.row {
            let values = object.kind.layout.slots.map { slot in
                overlay.value(at: slot.rowSlot) ?? remains.externalValues[slot.rowSlot]
                    ?? row.value(slot)
            }
            overlay.setAll(PerSlot(ContiguousArray(values)))
            overlay.updateAllMembers { $0.markUnsaved() }
        }
        object.row = nil
        object.overlay = overlay
        object.readsRow = false
        return true
    }
}

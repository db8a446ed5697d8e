import CairnModel
import CairnStore

/// What brings back an object that its context let go of.
///
/// Made with the record of the event that deleted the object, and filled before the context lets
/// go of it: by the save of the deletion, or when its insertion is taken back.
final class Tombstone {
    private var remains: Remains?

    private struct Remains {
        let overlay: Overlay
        let row: Row?
        /// Values that the store keeps outside of the row, and may remove with it.
        var externalValues: [RowSlot: Value] = [:]
        var references = TemporaryReferences()
    }

    /// Whether nothing was kept.
    var isEmpty: Bool { remains == nil }

    /// The overlay of an object that the context let go of. `nil` if it was not kept.
    var overlay: Overlay? { remains?.overlay }

    /// Keeps the current values of the object.
    ///
    /// - Throws: `.store` if a value that is stored outside of the row cannot be read.
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

    /// Gives the object all values that it had, as values that no store has. Returns `false` if nothing
    /// was kept.
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

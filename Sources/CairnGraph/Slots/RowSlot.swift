import CairnModel
import CairnStore

// The numbers that the model gives to properties. They are made in this file alone, from what the
// model and its row layouts say, so that no other number is taken for one of them.

/// The number of an attribute or to-one in the packed rows of its entity: see
/// ``CairnModel/PropertyStorage/row(slot:)``.
///
/// The accessors of a class have numbers of their own: see ``ClassSlot``.
struct RowSlot: SlotNumber {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }
}

extension RowLayout {
    /// All slots, in the order of their numbers.
    var rowSlots: some RandomAccessCollection<RowSlot> { slots.indices.lazy.map(RowSlot.init) }

    /// Whether rows have the slot.
    func contains(_ slot: RowSlot) -> Bool { slot.index < slots.count }

    /// Where rows hold the value of a slot.
    subscript(slot: RowSlot) -> Slot { slots[slot.index] }

    /// Returns the property of a slot.
    func property(at slot: RowSlot) -> Property { properties[slot.index] }

    /// Returns the property whose value is at a slot of rows.
    func property(at slot: Slot) -> Property { properties[Int(slot.index)] }
}

extension RowLayout.Slot {
    /// The number of the slot.
    var rowSlot: RowSlot { RowSlot(Int(index)) }
}

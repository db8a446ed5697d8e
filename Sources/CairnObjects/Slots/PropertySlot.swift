import CairnModel
import CairnRows
import CairnStack

/// The location of a property's value in an object.
enum PropertySlot: Hashable, Sendable {
    case row(RowSlot)
    case object(ObjectSlot)
    /// The object has no value, because the property is a fetched property.
    case none

    init(of property: Property) { self.init(property.storage) }
    init(of attribute: Attribute) { self.init(attribute.storage) }
    init(of relationship: Relationship) { self.init(relationship.storage) }

    private init(_ storage: PropertyStorage) {
        self =
            switch storage {
            case .row(let slot): .row(RowSlot(slot))
            case .object(let slot): .object(ObjectSlot(slot))
            case .none: .none
            }
    }

    /// The row slot, or `nil` if rows do not hold the property.
    var rowSlot: RowSlot? { if case .row(let slot) = self { slot } else { nil } }
    /// The object slot, or `nil` if rows hold the property or it is a fetched property.
    var objectSlot: ObjectSlot? { if case .object(let slot) = self { slot } else { nil } }
}

/// The number of a property among the properties of the same kind of storage.
protocol SlotNumber: Hashable, Sendable {
    /// The index of the property's element in a ``PerSlot``, or in memory with the same order.
    var index: Int { get }
}

// The numbers that the model gives to properties. They are created only in this file, from the model and
// its row layouts, so that other numbers are not mistaken for them.

/// The number of an attribute or to-one relationship in the packed rows of its entity; see
/// ``CairnModel/PropertyStorage/row(slot:)``.
///
/// The properties of a class have different numbers; see ``_Property.Mark``.
struct RowSlot: SlotNumber {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }
}

extension RowLayout {
    /// All slots, in the order of their numbers.
    var rowSlots: some RandomAccessCollection<RowSlot> { slots.indices.lazy.map(RowSlot.init) }

    /// Returns whether rows have the slot.
    func contains(_ slot: RowSlot) -> Bool { slot.index < slots.count }

    /// The location of a slot's value in a row.
    subscript(slot: RowSlot) -> Slot { slots[slot.index] }

    /// Returns the property of a slot.
    func property(at slot: RowSlot) -> Property { properties[slot.index] }
}

extension RowLayout.Slot {
    /// The number of the slot.
    var rowSlot: RowSlot { RowSlot(Int(index)) }
}

/// The number of a property that rows do not hold, which is a to-many or transient property; see
/// ``CairnModel/PropertyStorage/object(slot:)``.
struct ObjectSlot: SlotNumber {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }
}

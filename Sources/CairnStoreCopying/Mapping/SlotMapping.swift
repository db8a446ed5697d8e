import CairnModel
import CairnStore

/// Where the value of one slot of a migrated row comes from.
enum SlotMapping {
    /// From a slot of the same kind, byte for byte.
    case same(RowLayout.Slot)
    /// From an attribute's slot, through a conversion. The value `missing` stands for `nil`.
    case converted(RowLayout.Slot, conversion: ValueConversion, missing: Value)
    /// From a slot of bytes that may be kept outside of the row, to another one or to one of bytes
    /// that are always kept in the row. The value `missing` stands for `nil`.
    case bytes(RowLayout.Slot, missing: Value)
    /// From a to-one's slot: the same object, if its new entity is one of these.
    case destination(RowLayout.Slot, entities: Range<EntityNumber>)
    /// The same value for every row.
    case constant(Value)
}

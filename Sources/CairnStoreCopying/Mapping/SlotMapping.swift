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

extension SlotMapping {
    /// Returns the slot from which a slot gets its value byte for byte, if the row keeps no bytes
    /// elsewhere. Returns `nil` if the value may change.
    ///
    /// - Parameter keepsNumbers: whether all entities keep their numbers and subentities, so that
    ///   destinations stay as they are.
    func unchangedSource(for slot: RowLayout.Slot, keepsNumbers: Bool) -> RowLayout.Slot? {
        switch self {
        case .same(let source), .bytes(let source, .null):
            source.kind == slot.kind ? source : nil
        case .destination(let source, _): keepsNumbers ? source : nil
        case .bytes, .converted, .constant: nil
        }
    }
}

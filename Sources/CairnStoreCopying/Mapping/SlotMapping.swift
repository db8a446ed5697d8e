import CairnModel
import CairnRows

/// The source of one slot's value in a migrated row.
enum SlotMapping {
    /// A slot of the same kind, copied byte for byte.
    case same(RowLayout.Slot)
    /// The slot of an attribute, with a conversion. `nil` becomes the value `missing`.
    case converted(RowLayout.Slot, conversion: ValueConversion, missing: Value)
    /// A slot with bytes that may be outside of the row in the old store, in the new store, or in
    /// both. `nil` becomes the value `missing`.
    case bytes(RowLayout.Slot, missing: Value)
    /// A to-one slot. The destination is kept if its new entity is one of `entities`.
    case destination(RowLayout.Slot, entities: Range<EntityNumber>)
    /// The same value in every row.
    case constant(Value)
}

extension SlotMapping {
    /// Returns the slot from which the value can be copied byte for byte if the row keeps no bytes
    /// elsewhere, or `nil` if the value may change.
    ///
    /// - Parameter keepsNumbers: whether all entities keep their numbers and subentities, so that
    ///   destinations do not change.
    func unchangedSource(for slot: RowLayout.Slot, keepsNumbers: Bool) -> RowLayout.Slot? {
        switch self {
        case .same(let source), .bytes(let source, .null):
            source.kind == slot.kind ? source : nil
        case .destination(let source, _): keepsNumbers ? source : nil
        case .bytes, .converted, .constant: nil
        }
    }
}

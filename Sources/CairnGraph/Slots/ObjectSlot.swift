import CairnModel
import CairnStore

/// The number of a property that only objects have, a to-many or transient one: see
/// ``CairnModel/PropertyStorage/object(slot:)``.
struct ObjectSlot: SlotNumber {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }
}

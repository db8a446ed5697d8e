import CairnModel

/// The number of a property that rows do not hold, which is a to-many or transient property; see
/// ``CairnModel/PropertyStorage/object(slot:)``.
struct ObjectSlot: SlotNumber {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }
}

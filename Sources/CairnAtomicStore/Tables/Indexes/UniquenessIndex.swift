import CairnModel
import CairnModelArchive
import CairnStore

/// A property combination whose values occur once in a store.
struct UniquenessIndex: Sendable {
    /// The entity that declares it.
    let entity: String
    let properties: [String]
    /// Which index holds the hashes of its values.
    let index: Int
    /// The slots of the properties, by entity number from the declaring entity's.
    let slots: [[RowLayout.Slot]]
    let firstEntity: EntityNumber

    /// Returns the slots of the properties in the entity's rows; nil where it is another tree's.
    func slots(in entity: EntityNumber) -> [RowLayout.Slot]? {
        let index = Int(entity.rawValue) - Int(firstEntity.rawValue)
        return slots.indices.contains(index) ? slots[index] : nil
    }
}

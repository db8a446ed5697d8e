import CairnModel

/// The reason why bytes are not a valid packed row.
public enum RowDamage: Error, Sendable, Hashable {
    /// The number of bytes differs from the length that the row records, or is too small for its
    /// content.
    case wrongLength
    /// The model has no entity with that number, or the entity has another root entity.
    case unknownEntity(UInt16)
    /// The row was written with a model that lays out the rows of its entity, which has this number
    /// in the store, differently.
    case otherLayout(UInt16)
    /// A variable slot ends before it begins, or after the end of the row.
    case misplacedBytes(slot: Int)
    /// A to-one relationship leads to an entity that cannot be its destination.
    case wrongDestination(slot: Int)
}

extension RowDamage: CustomStringConvertible {
    /// Says what is wrong. Contains no stored value.
    public var description: String {
        switch self {
        case .wrongLength: "the length that the row records differs from the number of its bytes"
        case .unknownEntity(let number):
            "the row belongs to entity \(number), which is not in the model"
        case .otherLayout(let number):
            "the row belongs to entity \(number), whose rows have another layout in the model"
        case .misplacedBytes(let slot): "the bytes of slot \(slot) are outside the row"
        case .wrongDestination(let slot):
            "slot \(slot) refers to an entity that is not its destination"
        }
    }
}

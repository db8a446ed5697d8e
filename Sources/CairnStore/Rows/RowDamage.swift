import CairnModel

/// What is wrong with bytes that should be a packed row.
public enum RowDamage: Error, Sendable, Hashable {
    /// There are fewer bytes than the row has by its own account, more, or fewer than any has.
    case wrongLength
    /// The model has no entity of that number, or another root for it.
    case unknownEntity(UInt16)
    /// A variable slot ends before it begins or after the row.
    case misplacedBytes(slot: Int)
    /// A to-one refers to an entity that cannot be its destination.
    case wrongDestination(slot: Int)
}

extension RowDamage: CustomStringConvertible {
    /// What is wrong, without any stored value.
    public var description: String {
        switch self {
        case .wrongLength: "the row's length is not that of its bytes"
        case .unknownEntity(let number): "the row is of entity \(number), which is not in the model"
        case .misplacedBytes(let slot): "the bytes of slot \(slot) lie outside of the row"
        case .wrongDestination(let slot): "slot \(slot) refers to an entity that cannot stand there"
        }
    }
}

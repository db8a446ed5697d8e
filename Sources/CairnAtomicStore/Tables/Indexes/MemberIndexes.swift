import CairnModel
import CairnModelArchive
import CairnStore

/// The data structure that stores the members of a to-many relationship.
enum MemberIndexes: Sendable {
    /// A pair table. `isForward` is `true` for the side that owns the pairs.
    case pairs(table: Int, isForward: Bool, isSymmetric: Bool)
    /// The to-one slots of the members, which an index finds. The order, if any, is stored
    /// separately.
    case members(index: Int, order: Int?)
}

import CairnModel
import CairnModelArchive
import CairnStore

/// Where the members of a to-many relationship are kept.
enum MemberIndexes: Sendable {
    /// In a pair table; `isForward` from the side that owns the pairs.
    case pairs(table: Int, isForward: Bool, isSymmetric: Bool)
    /// In the members' to-one slots, which an index finds; the order is kept apart.
    case members(index: Int, order: Int?)
}

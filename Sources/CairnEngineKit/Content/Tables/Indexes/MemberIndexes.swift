import CairnModel

/// The data structure that stores the members of a to-many relationship.
package enum MemberIndexes: Sendable {
    /// A pair table. `isForward` is `true` if the relationship is the side that owns the pairs.
    case pairs(table: Int, isForward: Bool, isSymmetric: Bool)
    /// An index of the to-one slots in which the members' rows refer to the owner. `order` is the number of
    /// the separate table of order keys, or `nil` if the relationship is unordered.
    case members(index: Int, order: Int?)
}

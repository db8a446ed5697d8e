import CairnModel

/// The table that holds the pairs of a many-to-many relationship, as seen from one of its two
/// sides.
struct JoinTable: Sendable, Hashable {
    var table: SQLName
    /// The column with the key of the object that has the relationship.
    var ownerColumn: SQLName
    /// The column with the key of the object that the relationship leads to.
    var memberColumn: SQLName
    /// The column with the member's order key among the owner's members. `nil` if the relationship
    /// is not ordered.
    var memberOrderColumn: SQLName?
    /// The column with the owner's order key in the member's inverse. `nil` if the inverse is not
    /// ordered.
    var ownerOrderColumn: SQLName?
    /// Whether the owner's column comes first in the table.
    var isOwnerFirst = true
    /// Whether this is the members' own table, in which each row has at most one owner. Core Data
    /// stores a to-many relationship without an inverse in this way.
    var isMembersTable = false

    /// The same table as seen from the inverse.
    var seenFromMember: JoinTable {
        JoinTable(
            table: table, ownerColumn: memberColumn, memberColumn: ownerColumn,
            memberOrderColumn: ownerOrderColumn, ownerOrderColumn: memberOrderColumn,
            isOwnerFirst: !isOwnerFirst)
    }
}

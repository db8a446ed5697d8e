import CairnModel

/// The table that holds the pairs of a many-to-many, as one of its relationships sees it.
struct JoinTable: Sendable, Hashable {
    var table: SQLName
    /// Holds the key of the object that has the relationship.
    var ownerColumn: SQLName
    /// Holds the key of the object that the relationship leads to.
    var memberColumn: SQLName
    /// Holds the member's order key among the owner's members. `nil` if the relationship has no
    /// order.
    var memberOrderColumn: SQLName?
    /// Holds the owner's order key in the member's inverse. `nil` if the inverse has no order.
    var ownerOrderColumn: SQLName?
    /// Whether the owner's column is the first of the table.
    var isOwnerFirst = true
    /// Whether this is the members' own table, each row of which has one owner at most. Core Data
    /// stores a to-many without an inverse in this way.
    var isMembersTable = false

    /// The same table as the inverse sees it.
    var seenFromMember: JoinTable {
        JoinTable(
            table: table, ownerColumn: memberColumn, memberColumn: ownerColumn,
            memberOrderColumn: ownerOrderColumn, ownerOrderColumn: memberOrderColumn,
            isOwnerFirst: !isOwnerFirst)
    }
}

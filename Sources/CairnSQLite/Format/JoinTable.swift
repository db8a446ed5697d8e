import CairnModel

/// The table that holds the pairs of a many-to-many, as one of its relationships sees it.
struct JoinTable: Sendable, Hashable {
    var table: SQLName
    /// Holds the key of the object that has the relationship.
    var ownerColumn: SQLName
    /// Holds the key of the object that the relationship leads to.
    var memberColumn: SQLName
    /// Holds the member's place among the owner's. `nil` if the relationship has no order.
    var memberOrderColumn: SQLName?
    /// Holds the owner's place among the member's. `nil` if the inverse has no order.
    var ownerOrderColumn: SQLName?
    /// Whether the owner's column is the first of the table.
    var isOwnerFirst = true
    /// Whether this is the members' own table, whose rows then have one owner at most. So Core Data
    /// keeps a to-many without an inverse.
    var isMembersTable = false

    /// The same table as the inverse sees it.
    var seenFromMember: JoinTable {
        JoinTable(
            table: table, ownerColumn: memberColumn, memberColumn: ownerColumn,
            memberOrderColumn: ownerOrderColumn, ownerOrderColumn: memberOrderColumn,
            isOwnerFirst: !isOwnerFirst)
    }
}

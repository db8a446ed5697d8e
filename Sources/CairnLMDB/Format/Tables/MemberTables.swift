import CairnModel

/// The tables that hold the members of a to-many relationship.
enum MemberTables: Sendable {
    /// The members are stored as pairs. `isForward` is true for the side that owns the pairs.
    case pairs(PairTables, isForward: Bool)
    /// The members are stored as links of the to-one inverse, which also hold the order.
    case links(LMDBTable)

    /// The table whose keys begin with the owner's key.
    var members: LMDBTable {
        switch self {
        case .pairs(let tables, let isForward): isForward ? tables.forward : tables.backward
        case .links(let table): table
        }
    }
}

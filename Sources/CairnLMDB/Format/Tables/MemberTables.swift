import CairnModel
import CairnStore

/// Where the members of a to-many relationship are kept.
enum MemberTables: Sendable {
    /// In pairs; `isForward` from the side that owns them.
    case pairs(PairTables, isForward: Bool)
    /// In the members' to-ones, with the order beside the link.
    case links(LMDBTable)

    /// The table whose keys begin with the owner's.
    var members: LMDBTable {
        switch self {
        case .pairs(let tables, let isForward): isForward ? tables.forward : tables.backward
        case .links(let table): table
        }
    }
}

import CairnCLMDB

/// A table of an open environment.
struct LMDBTable: Sendable, Hashable {
    let handle: MDB_dbi
    let name: String

    /// A handle is of one table as long as the environment is open.
    static func == (left: LMDBTable, right: LMDBTable) -> Bool { left.handle == right.handle }

    func hash(into hasher: inout Hasher) { hasher.combine(handle) }
}

/// How a table orders its keys and values.
enum LMDBTableForm: Sendable, Hashable {
    /// Bytes → bytes, by bytes.
    case bytes
    /// i64 → bytes, by number; the keys are not negative.
    case integers
    /// Bytes → any number of i64, by bytes and then number; the numbers are not negative.
    case index

    var flags: UInt32 {
        switch self {
        case .bytes: 0
        case .integers: UInt32(MDB_INTEGERKEY)
        case .index: UInt32(MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
        }
    }
}

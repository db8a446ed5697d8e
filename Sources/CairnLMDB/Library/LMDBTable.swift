import CairnCLMDB

/// A table of an open environment.
struct LMDBTable: Sendable, Hashable {
    let handle: MDB_dbi
    let name: String
    let form: LMDBTableForm

    /// A handle is of one table as long as the environment is open.
    static func == (left: LMDBTable, right: LMDBTable) -> Bool { left.handle == right.handle }

    func hash(into hasher: inout Hasher) { hasher.combine(handle) }
}

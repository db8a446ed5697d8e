import CairnCLMDB

/// A table of an open environment.
struct LMDBTable: Sendable, Hashable {
    let handle: MDB_dbi
    let name: String
    let form: LMDBTableForm

    /// While the environment is open, a handle always stands for the same table.
    static func == (left: LMDBTable, right: LMDBTable) -> Bool { left.handle == right.handle }

    func hash(into hasher: inout Hasher) { hasher.combine(handle) }
}

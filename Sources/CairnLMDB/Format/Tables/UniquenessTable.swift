import CairnStore

/// A uniqueness constraint, and the table of its values.
struct UniquenessTable: Sendable {
    let properties: UniqueProperties
    let table: LMDBTable
}

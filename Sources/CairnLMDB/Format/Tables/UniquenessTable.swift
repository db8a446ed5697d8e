import CairnEngineKit

/// A uniqueness constraint, with the table of its values.
struct UniquenessTable: Sendable {
    let properties: UniqueProperties
    let table: LMDBTable
}

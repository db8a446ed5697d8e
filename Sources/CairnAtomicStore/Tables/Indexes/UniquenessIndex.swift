import CairnStore

/// A uniqueness constraint, and the index of its values.
struct UniquenessIndex: Sendable {
    let properties: UniqueProperties
    /// Which index of the table holds the hashes of the values.
    let index: Int
}

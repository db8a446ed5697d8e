/// A uniqueness constraint, and the index of its values.
struct UniquenessIndex: Sendable {
    let properties: UniqueProperties
    /// The number of the table's index that contains the hashes of the values.
    let index: Int
}
